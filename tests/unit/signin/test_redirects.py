from __future__ import annotations

import string
from urllib.parse import parse_qsl, quote_from_bytes, unquote_to_bytes, urlsplit

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from docshelf.signin.redirects import (
    MAX_URI_CHARACTERS,
    RedirectError,
    RedirectKind,
    is_allowed,
    parse_redirect,
    same_redirect,
    with_parameters,
)

WEB, LOOPBACK, APP = RedirectKind.WEB, RedirectKind.LOOPBACK, RedirectKind.APP

CURSOR = "cursor://anysphere.cursor-mcp/oauth/callback"

GOOD = [
    ("https://claude.ai/api/mcp/auth_callback", WEB, "claude.ai"),
    ("https://claude.com/api/mcp/auth_callback", WEB, "claude.com"),
    ("https://vscode.dev/redirect", WEB, "vscode.dev"),
    ("https://insiders.vscode.dev/redirect", WEB, "insiders.vscode.dev"),
    ("https://www.cursor.com/agents/mcp/oauth/callback", WEB, "www.cursor.com"),
    ("https://chatgpt.com/connector_platform_oauth_redirect", WEB, "chatgpt.com"),
    ("https://chatgpt.com/connector/oauth/6MFBM1In3Ey-", WEB, "chatgpt.com"),
    ("https://tools.example.com:8443/cb?tenant=a%20b&x=", WEB, "tools.example.com:8443"),
    ("https://xn--bcher-kva.example/cb", WEB, "xn--bcher-kva.example"),
    ("HTTPS://Tools.Example.COM/cb", WEB, "tools.example.com"),
    ("https://wiki/cb", WEB, "wiki"),
    ("https://a.example", WEB, "a.example"),
    ("https://a.example/@me/cb", WEB, "a.example"),
    ("http://localhost/callback", LOOPBACK, "localhost"),
    ("http://localhost:58135/callback", LOOPBACK, "localhost:58135"),
    ("http://localhost:8787/callback", LOOPBACK, "localhost:8787"),
    ("http://127.0.0.1:33418/", LOOPBACK, "127.0.0.1:33418"),
    ("http://127.0.0.1:63546/callback/6MFBM1In3Ey-", LOOPBACK, "127.0.0.1:63546"),
    ("http://127.0.0.1", LOOPBACK, "127.0.0.1"),
    ("http://[::1]:8080/cb", LOOPBACK, "[::1]:8080"),
    ("https://localhost:8443/cb", LOOPBACK, "localhost:8443"),
    (CURSOR, APP, "cursor://anysphere.cursor-mcp"),
    ("vscode://vendor.extension/cb", APP, "vscode://vendor.extension"),
    ("com.example.app:/oauth2redirect", APP, "com.example.app:"),
    ("com.example.app:callback", APP, "com.example.app:"),
    ("myapp:///cb", APP, "myapp:"),
    ("myapp://callback", APP, "myapp://callback"),
]

BAD = [
    "",
    "/callback",
    "//evil.example/cb",
    "callback",
    "localhost:8080/cb",
    "https://",
    "https:///cb",
    "https:evil.example/cb",
    "https:/evil.example/cb",
    "http:///cb",
    "http://",
    ":cb",
    "://cb",
    "c:/windows/system32",
    "9app://cb",
    # http elsewhere than on this computer, and what looks like it
    "http://example.com/cb",
    "http://localhost.evil.com/cb",
    "http://localhost.evil",
    "http://localhost@evil.com/cb",
    "http://localhost:80@evil.com/cb",
    "http://localhost%40evil.com/cb",
    "http://localhost.:1/cb",
    "http://localhost./cb",
    "http://evil.com\\@localhost/cb",
    "http://127.0.0.1.evil.com/cb",
    "http://127.1/cb",
    "http://127.0.0.2/cb",
    "http://0.0.0.0/cb",
    "http://0/cb",
    "http://2130706433/cb",
    "http://0x7f.0.0.1/cb",
    "http://0177.0.0.1/cb",
    "http://[::1].evil.com/cb",
    "http://[::1]evil.com/cb",
    "http://[::1%25eth0]/cb",
    "http://[0:0:0:0:0:0:0:1]/cb",
    "http://[::ffff:127.0.0.1]/cb",
    "http://[::1/cb",
    "http://[::]/cb",
    "http://::1/cb",
    "http://[v1.a]/cb",
    "http://loc%61lhost/cb",
    "http://ⓛocalhost/cb",
    "http://localhost。evil.com/cb",
    # ports
    "http://localhost:99999/cb",
    "http://localhost:65536/cb",
    "http://localhost:0/cb",
    "http://localhost:/cb",
    "http://localhost:08080/cb",
    "http://localhost:+80/cb",
    "http://localhost:8o/cb",
    "https://a.example:99999/cb",
    # web hosts
    "https://user@a.example/cb",
    "https://user:word@a.example/cb",
    "https://@a.example/cb",
    "https://a.example\\@evil.com/cb",
    "https://a.example%2fevil.com/cb",
    "https://a.example%00.evil.com/cb",
    "https://a.example./cb",
    "https://.a.example/cb",
    "https://a..example/cb",
    "https://-a.example/cb",
    "https://a-.example/cb",
    "https://a_b.example/cb",
    "https://a.example,evil.com/cb",
    "https://a.example;evil.com/cb",
    "https://bücher.example/cb",
    "https://аpple.example/cb",
    "https://*.example/cb",
    "https://a.example/*",
    "https://127.1/cb",
    "https://10.0.0.1/cb",
    "https://93.184.216.34/cb",
    "https://0x7f000001/cb",
    "https://a.0x7f/cb",
    "https://[2001:db8::1]/cb",
    f"https://{'a' * 64}.example/cb",
    # paths
    "https://a.example/x/../cb",
    "https://a.example/x/./cb",
    "https://a.example/x/%2e%2e/cb",
    "https://a.example/x/.%2E/cb",
    "https://a.example/x/..",
    "https://a.example/%2e",
    "http://localhost/x/%2e%2e/cb",
    "cursor://anysphere.cursor-mcp/x/../oauth/callback",
    "https://a.example/cb#",
    "https://a.example/cb#fragment",
    "http://localhost:1/cb#/",
    f"{CURSOR}#x",
    "https://a.example/c b",
    " https://a.example/cb",
    "https://a.example/cb\n",
    "https://a.example/cb\r\nSet-Cookie: a=b",
    "ht\ttps://a.example/cb",
    "java\nscript:alert(1)",
    "https://a.example/cb\x00",
    "https://a.example/cb\x7f",
    "https://a.example/\ud800",
    "https://a.example/é",
    "https://a.example/<script>",
    'https://a.example/"onclick',
    "https://a.example/'x",
    "https://a.example/`x",
    "https://a.example/{id}",
    "https://a.example/a|b",
    "https://a.example/a^b",
    "https://a.example/%",
    "https://a.example/%4",
    "https://a.example/%zz",
    # schemes
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "javascript://localhost/%0aalert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "vbscript:x",
    "blob:https://a.example/x",
    "about:blank",
    "ws://localhost/cb",
    "wss://a.example/cb",
    "ftp://a.example/cb",
    "mailto:a@example.com",
    "tel:123",
    "ms-msdt:/id",
    "search-ms:query=x",
    "microsoft-edge:https://a.example/cb",
    "x-safari-https://a.example/cb",
    "googlechromes://a.example/cb",
    "firefox://open-url?url=https://a.example/cb",
    "opera-https://a.example/cb",
    "itms-apps://a.example/cb",
    "shortcuts://run-shortcut?name=x",
    "applescript://com.apple.scripteditor?action=new",
    "x-man-page://cb",
    "intent://a.example/cb",
    "view-source:https://a.example/cb",
    "chrome-extension://abc/cb",
    "urn:ietf:wg:oauth:2.0:oob",
    "cursor://user@anysphere.cursor-mcp/cb",
    "my_app://cb",
    "*://cb",
    "https://a.example/" + "x" * MAX_URI_CHARACTERS,
]


@pytest.mark.parametrize(("uri", "kind", "shown"), GOOD)
def test_a_redirect_uri_of_a_real_client_is_taken(uri: str, kind: RedirectKind, shown: str) -> None:
    found = parse_redirect(uri)
    assert (found.uri, found.kind, found.host_shown) == (uri, kind, shown)
    assert same_redirect(uri, uri)


@pytest.mark.parametrize("uri", BAD)
def test_an_address_that_answers_must_not_go_to_is_refused_and_equals_nothing(uri: str) -> None:
    with pytest.raises(RedirectError) as refused:
        parse_redirect(uri)
    assert len(uri) < 8 or uri not in str(refused.value)
    assert not same_redirect(uri, uri)
    for good, _, _ in GOOD:
        assert not same_redirect(good, uri)
        assert not same_redirect(uri, good)


@pytest.mark.parametrize(
    ("registered", "requested"),
    [
        ("http://localhost/callback", "http://localhost:58135/callback"),
        ("http://127.0.0.1:33418/", "http://127.0.0.1:59656/"),
        ("http://127.0.0.1/callback", "http://127.0.0.1:63546/callback"),
        ("http://[::1]/cb", "http://[::1]:8080/cb"),
        ("http://localhost:8787/callback", "http://localhost/callback"),
        ("http://localhost/cb?x=1", "http://localhost:5/cb?x=1"),
        (CURSOR, CURSOR),
        ("https://vscode.dev/redirect", "https://vscode.dev/redirect"),
    ],
)
def test_the_port_alone_may_differ_and_on_this_computer_alone(registered: str, requested: str) -> None:
    assert same_redirect(registered, requested)


@pytest.mark.parametrize(
    ("registered", "requested"),
    [
        ("http://localhost/callback", "http://127.0.0.1/callback"),
        ("http://127.0.0.1/callback", "http://localhost:1/callback"),
        ("http://[::1]/cb", "http://127.0.0.1/cb"),
        ("http://localhost/callback", "http://localhost:1/callback2"),
        ("http://localhost/callback", "http://localhost:1/callback/"),
        ("http://localhost/callback", "http://localhost:1/Callback"),
        ("http://localhost/callback", "http://localhost:1/other"),
        ("http://localhost/callback", "http://localhost:1/%63allback"),
        ("http://localhost/callback", "http://localhost:1/callback?x=1"),
        ("http://localhost/callback?x=1", "http://localhost:1/callback"),
        ("http://localhost/callback", "http://localhost:1/callback?"),
        ("http://localhost/callback", "http://localhost:1/callback;x"),
        ("http://localhost/callback", "http://localhost:1//callback"),
        ("http://localhost", "http://localhost:1/"),
        ("http://localhost/callback", "https://localhost/callback"),
        ("https://localhost/callback", "http://localhost/callback"),
        ("https://localhost:1/callback", "https://localhost:2/callback"),
        ("https://a.example/cb", "https://a.example:444/cb"),
        ("https://a.example/cb", "https://a.example:443/cb"),
        ("https://a.example/cb", "https://A.example/cb"),
        ("https://a.example/cb", "https://a.example/cb/"),
        ("https://a.example/cb", "https://a.example/cb?x=1"),
        ("https://a.example/cb", "https://b.a.example/cb"),
        ("https://a.example/cb", "https://a.example.evil.com/cb"),
        ("https://a.example/cb", "http://a.example/cb"),
        (CURSOR, f"{CURSOR}/"),
        (CURSOR, "cursor://anysphere.cursor-mcp:1/oauth/callback"),
        (CURSOR, "Cursor://anysphere.cursor-mcp/oauth/callback"),
        ("myapp:///cb", "myapp:/cb"),
    ],
)
def test_anything_else_that_differs_makes_another_redirect_uri(registered: str, requested: str) -> None:
    assert not same_redirect(registered, requested)


SIGNS = [":", "/", "//", "@", "\\", ".", "..", "%2e", "?", "#", "&", "%", "\t", "\n", " ", "*", "é"]
NAMES = ["http", "https", "cursor", "javascript", "localhost", "127.0.0.1", "[::1]", "a.example", "evil.com", "cb"]
URI_PIECES = st.lists(st.sampled_from([*SIGNS, *NAMES, ":80", ":99999"]), max_size=10).map("".join)
ANY_URI = URI_PIECES | st.text(st.characters(exclude_categories=()), max_size=60)


def _browser_host(uri: str) -> str:
    """Where a browser goes, told in another way than `urlsplit` does: it reads backslashes as slashes."""
    rest = uri.split(":", 1)[1].replace("\\", "/").lstrip("/")
    return rest.split("/")[0].split("?")[0].split("#")[0].rpartition("@")[2].lower()


@given(uri=ANY_URI)
@example("https://a.example\\@evil.com/cb")
@example("http://[::1]:1/cb")
def test_what_is_taken_leads_where_it_is_shown_to_lead(uri: str) -> None:
    try:
        found = parse_redirect(uri)
    except RedirectError:
        return
    assert uri.isascii()
    assert uri.isprintable()
    assert " " not in uri
    assert "#" not in uri
    if found.kind is not APP:
        assert _browser_host(uri) == found.host_shown
        assert urlsplit(uri).username is None


@given(registered=ANY_URI, requested=ANY_URI)
def test_two_that_are_the_same_differ_by_no_more_than_a_port_on_this_computer(registered: str, requested: str) -> None:
    assume(registered != requested)
    if same_redirect(registered, requested):
        one, two = urlsplit(registered), urlsplit(requested)
        assert one.scheme == two.scheme == "http"
        assert one.hostname == two.hostname
        assert one.hostname in {"localhost", "127.0.0.1", "::1"}
        assert (one.path, one.query, one.fragment) == (two.path, two.query, two.fragment)


@given(
    host=st.sampled_from(["localhost", "127.0.0.1", "[::1]"]),
    ports=st.tuples(*[st.none() | st.integers(1, 65_535)] * 2),
    path=st.text(string.ascii_letters + string.digits + "-_~/", max_size=20),
)
def test_on_this_computer_every_port_is_the_same(host: str, ports: tuple[int | None, int | None], path: str) -> None:
    one, two = (f"http://{host}{'' if port is None else f':{port}'}/{path}" for port in ports)
    assert same_redirect(one, two)


def test_web_sites_can_be_limited_and_apps_and_this_computer_are_not() -> None:
    hosts = {"vscode.dev", "tools.example.com"}
    for uri in ("https://vscode.dev/redirect", "https://Tools.example.com:8443/cb", "http://localhost:1/cb", CURSOR):
        assert is_allowed(parse_redirect(uri), hosts)
        assert is_allowed(parse_redirect(uri), ())
    for uri in ("https://claude.ai/cb", "https://a.vscode.dev/redirect", "https://vscode.dev.evil.com/redirect"):
        assert not is_allowed(parse_redirect(uri), hosts)
        assert is_allowed(parse_redirect(uri), ())


ISS = "https://docs.example.com"


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("http://localhost:1/cb", "http://localhost:1/cb?code=c&iss=I"),
        ("http://localhost:1", "http://localhost:1?code=c&iss=I"),
        ("https://a.example/cb?", "https://a.example/cb?code=c&iss=I"),
        ("https://a.example/cb?t=a%20b+c&x", "https://a.example/cb?t=a%20b+c&x&code=c&iss=I"),
        ("https://a.example/cb?a=1&&b=2&", "https://a.example/cb?a=1&&b=2&&code=c&iss=I"),
        ("myapp:///cb", "myapp:///cb?code=c&iss=I"),
        ("com.example.app:/cb", "com.example.app:/cb?code=c&iss=I"),
        (CURSOR, f"{CURSOR}?code=c&iss=I"),
        ("https://a.example/cb?iss=https://evil", "https://a.example/cb?code=c&iss=I"),
        ("https://a.example/cb?%69ss=x&a=1", "https://a.example/cb?a=1&code=c&iss=I"),
        ("https://a.example/cb?code=x&state=y&a=1&error=z", "https://a.example/cb?a=1&code=c&iss=I"),
        ("https://a.example/cb?issue=1&encode=2", "https://a.example/cb?issue=1&encode=2&code=c&iss=I"),
    ],
)
def test_an_answer_is_appended_to_the_query_as_it_stands(uri: str, expected: str) -> None:
    made = with_parameters(uri, {"code": "c", "iss": ISS})
    assert made == expected.replace("iss=I", "iss=https%3A%2F%2Fdocs.example.com")


def test_without_parameters_nothing_is_added() -> None:
    assert with_parameters("https://a.example/cb?a=1", {}) == "https://a.example/cb?a=1"
    assert with_parameters("https://a.example/cb", {}) == "https://a.example/cb"


@given(
    query=st.lists(st.sampled_from(["iss=x", "code=1", "state", "a=1", "%69%73%73=2", "b", "", "is+s=3"]), max_size=6),
    state=st.binary(max_size=30),
)
def test_an_answer_has_one_issuer_one_code_and_the_very_bytes_of_the_state(query: list[str], state: bytes) -> None:
    uri = f"https://a.example/cb?{'&'.join(query)}"
    text = state.decode(errors="surrogateescape")
    made = with_parameters(uri, {"code": "the code", "state": text, "iss": ISS})
    pairs = parse_qsl(urlsplit(made).query, keep_blank_values=True, errors="surrogateescape")
    for name, value in (("iss", ISS), ("code", "the code"), ("state", text)):
        assert [found for key, found in pairs if key == name] == [value]
    (sent,) = (part.removeprefix("state=") for part in made.split("&") if part.startswith("state="))
    assert unquote_to_bytes(sent) == state
    assert sent == quote_from_bytes(state, safe="")
    assert [key for key, _ in pairs].count("a") == query.count("a=1")
    parse_redirect(made)
