"""Which network addresses are of the public internet, and not of this machine, its network or its provider."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

_GLOBAL_UNICAST = IPv6Network("2000::/3")
# An IPv4 address behind a translator: networks with IPv6 alone reach the rest of the internet so (RFC 6052).
_TRANSLATED = IPv6Network("64:ff9b::/96")
# Protocol assignments, tunnels that hold another address, documentation, and relays that nobody runs any more.
_SPECIAL_6 = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")))
_SPECIAL_4 = tuple(map(IPv4Network, ("100.64.0.0/10", "192.0.0.0/24", "192.88.99.0/24", "240.0.0.0/4")))


def is_public(address: str) -> bool:
    """Whether `address`, in numbers, is one that anybody on the internet could mean; what is none is not."""
    parsed = _parsed(address)
    if isinstance(parsed, IPv6Address):
        if parsed in _TRANSLATED:
            return _is_public_4(IPv4Address(int(parsed) & 0xFFFF_FFFF))
        # Forms of IPv4 addresses, as ::ffff:127.0.0.1, are outside of this range.
        return parsed in _GLOBAL_UNICAST and parsed.is_global and not any(parsed in net for net in _SPECIAL_6)
    return parsed is not None and _is_public_4(parsed)


def is_loopback(address: str) -> bool:
    """Whether `address`, in numbers, is of this machine."""
    parsed = _parsed(address)
    return parsed is not None and parsed.is_loopback


def _is_public_4(address: IPv4Address) -> bool:
    return address.is_global and not address.is_multicast and not any(address in net for net in _SPECIAL_4)


def _parsed(address: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(address)
    except ValueError:
        return None
