"""What was used, at its price."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from infra.costs.tables import Prices
from infra.costs.usage import Use


@dataclass(frozen=True, slots=True)
class Item:
    """One use and its dollars."""

    use: Use
    usd: float


@dataclass(frozen=True, slots=True)
class Bill:
    """The items of a month or of one task, in the order in which they were used."""

    items: Sequence[Item]
    prices: Prices

    @classmethod
    def of(cls, uses: Iterable[Use], prices: Prices) -> Bill:
        """At list price; what a price includes goes to its first uses."""
        left = {name: price.included for name, price in prices.items()}
        items = []
        for use in uses:
            taken = min(left[use.price], use.amount)
            left[use.price] -= taken
            items.append(Item(use, (use.amount - taken) * prices[use.price].usd))
        return cls(tuple(items), prices)

    @property
    def total(self) -> float:
        """Dollars at list price."""
        return sum(item.usd for item in self.items)

    @property
    def total_after_free(self) -> float:
        """Dollars for an account that uses nothing else, so that all that AWS gives it each month is left for this."""
        usd: dict[str, float] = defaultdict(float)
        for item in self.items:
            usd[item.use.price] += item.usd
        return sum(max(0.0, each - self.prices[name].free * self.prices[name].usd) for name, each in usd.items())

    def by_part(self) -> Mapping[str, float]:
        """Dollars of each part."""
        usd: dict[str, float] = defaultdict(float)
        for item in self.items:
            usd[item.use.part] += item.usd
        return usd
