"""Bills and their inputs, as Markdown tables."""

from __future__ import annotations

from collections.abc import Sequence

from infra.costs.bill import Bill
from infra.costs.tables import Assumptions, Prices
from infra.costs.usage import Scenario, Usage
from infra.settings import Environment

SCENARIOS = (
    Scenario(0, 0),
    *(Scenario(developers, documents) for developers in (10, 1_000) for documents in (1_000, 10_000, 100_000)),
)


def comparison(environment: Environment, prices: Prices, assumptions: Assumptions) -> str:
    """A column for each scenario, a row for each part, in dollars a month."""
    usages = [Usage(environment, scenario, assumptions) for scenario in SCENARIOS]
    months = [Bill.of(usage.month(), prices) for usage in usages]
    first = [Bill.of(usage.first_index(), prices).total for usage in usages]
    parts = sorted({part for bill in months for part in bill.by_part()}, key=lambda part: -_weight(months, part))
    rows = [[part, *(dollars(bill.by_part().get(part, 0.0)) for bill in months)] for part in parts]
    rows = [row for row in rows if any(cell != "0" for cell in row[1:])]
    rows.append(["**a month**", *(f"**{dollars(bill.total)}**" for bill in months)])
    rows.append(["after what AWS gives for free", *(dollars(bill.total_after_free) for bill in months)])
    rows.append(["once: the first index", *map(dollars, first)])
    return table(["US dollars", *map(_heading, SCENARIOS)], rows)


def changes(environment: Environment, prices: Prices, assumptions: Assumptions) -> str:
    """What some settings change of the idle month, each alone."""

    def idle(changed: Environment) -> float:
        return Bill.of(Usage(changed, SCENARIOS[0], assumptions).month(), prices).total

    before = idle(environment)
    rows = [
        [f"`{setting}`", f"{idle(changed) - before:+,.2f}"]
        for setting, changed in _changed(environment).items()
        if changed != environment
    ]
    return table(["setting", "US dollars of the idle month"], rows)


def detail(environment: Environment, scenario: Scenario, prices: Prices, assumptions: Assumptions) -> str:
    """Every item of one scenario with its amount, and the first index."""
    usage = Usage(environment, scenario, assumptions)
    month, first = Bill.of(usage.month(), prices), Bill.of(usage.first_index(), prices)
    rows = [
        [item.use.part, item.use.what, _amount(item.use.amount), prices[item.use.price].per, dollars(item.usd)]
        for item in month.items
        if item.use.amount
    ]
    rows.append(["**a month**", "", "", "", f"**{dollars(month.total)}**"])
    rows.append(["after what AWS gives for free", "", "", "", dollars(month.total_after_free)])
    rows.append(["once: the first index", "", "", "", dollars(first.total)])
    return table(["part", "what", "amount", "unit", "US dollars"], rows)


def price_table(prices: Prices) -> str:
    """The prices and where they are from."""
    rows = [
        [f"`{name}`", f"{price.usd:.10f}".rstrip("0").rstrip("."), price.per, _given(price.free, price.included),
         price.seen, price.source]
        for name, price in prices.items()
    ]  # fmt: skip
    return table(["price", "US dollars", "for a", "free", "seen", "source"], rows)


def assumption_table(assumptions: Assumptions) -> str:
    """The assumptions and what they rest on."""
    rows = [
        [f"`{part}.{name}`", f"{one.value:,g}", one.basis]
        for part, each in assumptions.items()
        for name, one in each.items()
    ]
    return table(["assumption", "value", "basis"], rows)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def dollars(usd: float) -> str:
    """Whole cents below ten dollars, whole dollars above."""
    if usd < 0.005:
        return "0"
    return f"{usd:,.2f}" if usd < 10 else f"{usd:,.0f}"


def _changed(environment: Environment) -> dict[str, Environment]:
    def with_part(name: str, **settings: object) -> Environment:
        return environment.model_copy(update={name: getattr(environment, name).model_copy(update=settings)})

    return {
        "machines = []": environment.model_copy(update={"machines": ()}),
        "alarms.dashboard = false": with_part("alarms", dashboard=False),
        "alarms.enabled = false": with_part("alarms", enabled=False),
        "commit.maintain_minutes = 60": with_part("commit", maintain_minutes=60),
        "commit.maintain_minutes = 360": with_part("commit", maintain_minutes=360),
        "search.snap_start = true": with_part("search", snap_start=True),
        "signin.snap_start = true": with_part("signin", snap_start=True),
    }


def _amount(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.2g}"


def _heading(scenario: Scenario) -> str:
    if not scenario.developers:
        return "idle"
    return f"{scenario.developers:,} × {scenario.documents:,}"


def _weight(bills: Sequence[Bill], part: str) -> float:
    return max(bill.by_part().get(part, 0.0) / bill.total for bill in bills)


def _given(free: float, included: float) -> str:
    return f"{included:,.0f} in the price" if included else f"{free:,.0f}" if free else ""
