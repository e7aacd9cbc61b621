from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.signin.public_addresses import is_loopback, is_public

PRIVATE_4 = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "169.254.170.2",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
]
PRIVATE_6 = [
    "::",
    "::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "100::1",
    "2001::1",
    "2001:10::1",
    "2001:20::1",
    "2001:db8::1",
    "3fff::1",
    "5f00::1",
    "64:ff9b:1::a00:1",
    "2002:7f00:1::",
    "4000::1",
]
PUBLIC = ["1.1.1.1", "8.8.8.8", "93.184.216.34", "172.32.0.1", "192.0.1.1", "100.128.0.1"]
PUBLIC_6 = ["2606:4700:4700::1111", "2a00:1450:4001:830::200e", "2001:4860:4860::8888"]


@pytest.mark.parametrize("address", [*PUBLIC, *PUBLIC_6])
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert is_public(address)
    assert not is_loopback(address)


@pytest.mark.parametrize("address", [*PRIVATE_4, *PRIVATE_6])
def test_addresses_of_a_machine_a_network_or_a_provider_are_not(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", [*PRIVATE_4, *PUBLIC])
@pytest.mark.parametrize("form", ["::ffff:{}", "::ffff:0:{}", "::{}"])
def test_no_address_of_ipv4_in_the_form_of_ipv6_is_public(address: str, form: str) -> None:
    assert not is_public(form.format(address))


@given(address=st.ip_addresses(v=4))
def test_behind_a_translator_an_address_is_as_public_as_it_is_without(address: IPv4Address) -> None:
    assert is_public(f"64:ff9b::{address}") == is_public(str(address))


@given(address=st.ip_addresses(v=4))
def test_tunnels_that_hold_an_address_are_never_public(address: IPv4Address) -> None:
    high, low = int(address) >> 16, int(address) & 0xFFFF
    assert not is_public(f"2002:{high:x}:{low:x}::1")
    assert not is_public(f"2001:0:{high:x}:{low:x}::1")


@given(address=st.ip_addresses())
def test_what_the_registry_calls_private_is_never_public(address: IPv4Address | IPv6Address) -> None:
    if not address.is_global or address.is_multicast or address.is_loopback or address.is_link_local:
        assert not is_public(str(address)) or str(address).startswith("64:ff9b::")


@pytest.mark.parametrize(
    "text", ["", "localhost", "127.1", "0x7f.0.0.1", "2130706433", "1.1.1.1 ", "1.1.1", "[::1]", "é"]
)
def test_what_is_no_address_in_numbers_is_neither(text: str) -> None:
    assert not is_public(text)
    assert not is_loopback(text)


@pytest.mark.parametrize("address", ["127.0.0.1", "127.1.2.3", "::1"])
def test_addresses_of_this_machine_are_told(address: str) -> None:
    assert is_loopback(address)
