from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.errors import DocshelfError
from docshelf.signin.client_documents import MAX_CLIENTS, MAX_FAULTS, ClientDocuments, DocumentUnavailableError
from docshelf.signin.clients import UnknownClientError
from docshelf.signin.fetch_target import FetchFailedError, FetchRefusedError
from docshelf.signin.public_fetch import Fetched
from tests.support.scripted_server import answer, scripted_server

URL = "https://claude.ai/oauth/claude-code-client-metadata"
URIS = ["http://localhost/callback", "http://127.0.0.1/callback"]


class Web:
    """Documents by their addresses, and a clock; what is asked for is counted."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0
        self.documents: dict[str, bytes] = {}
        self.headers: dict[str, str] = {"content-type": "application/json"}
        self.fault: DocshelfError | None = None
        self.asked: list[str] = []
        self.clients = ClientDocuments(fetch=self.fetch, clock=lambda: self.now)

    def fetch(self, url: str) -> Fetched:
        """What is at `url`."""
        self.asked.append(url)
        if self.fault is not None:
            raise self.fault
        if url not in self.documents:
            raise FetchRefusedError("The client_id is not the address of a document (status 404).")
        return Fetched(self.documents[url], self.headers)

    def put(self, url: str = URL, **fields: object) -> None:
        """Publish a document at `url`; a field of None is left out."""
        usual: Mapping[str, object] = {"client_id": url, "client_name": "Claude Code", "redirect_uris": URIS}
        self.documents[url] = json.dumps(
            {name: value for name, value in {**usual, **fields}.items() if value is not None}
        ).encode()


@pytest.fixture
def web() -> Web:
    return Web()


def test_a_client_is_what_its_document_says(web: Web) -> None:
    web.put(
        token_endpoint_auth_method="none",
        grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
        client_uri="https://claude.ai",
        logo_uri="https://claude.ai/logo.png",
    )
    client = web.clients.client(URL)
    assert (client.client_id, client.name, client.redirect_uris) == (URL, "Claude Code", tuple(URIS))
    assert client.verified_host == "claude.ai"
    assert client.redirect("http://localhost:58135/callback").host_shown == "localhost:58135"


def test_the_host_is_shown_in_lower_case_and_the_id_stays_as_it_was_given(web: Web) -> None:
    url = "https://CLAUDE.ai/oauth/X"
    web.put(url)
    client = web.clients.client(url)
    assert (client.client_id, client.verified_host) == (url, "claude.ai")


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "application/json; charset=utf-8", "Application/JSON", "application/cimd+json"],
)
def test_a_document_is_json_by_its_type(content_type: str, web: Web) -> None:
    web.put()
    web.headers["content-type"] = content_type
    assert web.clients.client(URL).name == "Claude Code"


@pytest.mark.parametrize(
    "content_type",
    ["", "text/html", "text/plain", "text/json", "application/jsonp", "json", "text/html; application/json"],
)
def test_a_document_of_another_type_is_none(content_type: str, web: Web) -> None:
    web.put()
    web.headers["content-type"] = content_type
    with pytest.raises(UnknownClientError, match="JSON"):
        web.clients.client(URL)


@pytest.mark.parametrize("other", [None, "", URL + "/", URL.upper(), URL + "?x=1", "https://evil.example/x", 7, [URL]])
def test_a_document_must_name_its_own_address_to_the_letter(other: object, web: Web) -> None:
    web.put(client_id=other)
    with pytest.raises(UnknownClientError, match="client_id"):
        web.clients.client(URL)


@pytest.mark.parametrize(
    "method", ["client_secret_basic", "client_secret_post", "client_secret_jwt", "other", 7, ["none"]]
)
def test_a_document_that_asks_for_a_shared_secret_is_refused(method: object, web: Web) -> None:
    web.put(token_endpoint_auth_method=method)
    with pytest.raises(UnknownClientError, match="secret"):
        web.clients.client(URL)


@pytest.mark.parametrize("field", ["client_secret", "client_secret_expires_at"])
def test_a_document_with_a_secret_is_refused(field: str, web: Web) -> None:
    web.put(**{field: "0"})
    with pytest.raises(UnknownClientError, match="secret"):
        web.clients.client(URL)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"<html>",
        b"\xff",
        json.dumps({"client_id": URL}).encode(),
        json.dumps({"client_id": URL, "redirect_uris": ["javascript:x"]}).encode(),
        json.dumps({"client_id": URL, "redirect_uris": "http://localhost/cb"}).encode(),
        json.dumps({"client_id": URL, "redirect_uris": URIS, "client_name": 7}).encode(),
        json.dumps({"client_id": URL, "redirect_uris": URIS, "grant_types": ["implicit"]}).encode(),
        f'{{"client_id": "{URL}", "client_id": "{URL}", "redirect_uris": ["http://localhost/cb"]}}'.encode(),
    ],
)
def test_what_describes_no_client_is_refused(body: bytes, web: Web) -> None:
    web.documents[URL] = body
    with pytest.raises(UnknownClientError) as refused:
        web.clients.client(URL)
    assert (refused.value.error, refused.value.status) == ("invalid_client", 401)


def test_redirect_uris_that_answers_must_not_go_to_are_left_out(web: Web) -> None:
    web.put(redirect_uris=["javascript:x", *URIS, "http://evil.example/cb"])
    assert web.clients.client(URL).redirect_uris == tuple(URIS)


@pytest.mark.parametrize(
    "url", ["https://localhost/x", "https://169.254.169.254/x", "http://localhost/x", "https://a.b"]
)
def test_an_address_that_cannot_be_one_of_a_document_is_not_fetched(url: str, web: Web) -> None:
    web.put(url)
    with pytest.raises(UnknownClientError):
        web.clients.client(url)
    assert web.asked == []


def test_a_document_at_this_server_is_not_fetched_so_that_no_request_makes_others(web: Web) -> None:
    clients = ClientDocuments(fetch=web.fetch, own_hosts=["docs.example.com"])
    for url in ("https://docs.example.com/authorize?client_id=x", "https://DOCS.example.com:443/token"):
        with pytest.raises(UnknownClientError, match="an address of this server"):
            clients.client(url)
    assert web.asked == []
    web.put()
    assert clients.client(URL).verified_host == "claude.ai"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, 300),
        ("", 300),
        ("max-age=0", 300),
        ("no-store", 300),
        ("no-cache, max-age=7200", 300),
        ("max-age=10", 300),
        ("max-age=nonsense", 300),
        ("max-age=-7200", 300),
        ("max-age=3600", 3_600),
        ("public, Max-Age=3600, must-revalidate", 3_600),
        ('max-age="3600"', 3_600),
        ("max-age=60, s-maxage=7200", 7_200),
        ("max-age=86400", 86_400),
        ("max-age=31536000, immutable", 86_400),
        ("max-age=" + "9" * 30, 300),
    ],
)
def test_a_client_is_kept_as_long_as_its_document_says_within_bounds(
    header: str | None, seconds: int, web: Web
) -> None:
    web.put()
    if header is not None:
        web.headers["cache-control"] = header
    web.clients.client(URL)
    web.put(client_name="Renamed")
    web.now += seconds - 1
    assert web.clients.client(URL).name == "Claude Code"
    web.now += 1
    assert web.clients.client(URL).name == "Renamed"
    assert web.asked == [URL, URL]


@pytest.mark.parametrize(
    ("fault", "raised"),
    [(FetchFailedError("Busy."), DocumentUnavailableError), (FetchRefusedError("Missing."), UnknownClientError)],
)
def test_a_fault_is_remembered_for_a_minute(fault: DocshelfError, raised: type[DocshelfError], web: Web) -> None:
    web.put()
    web.fault = fault
    seen = []
    for _ in range(3):
        with pytest.raises(raised, match=fault.sentence) as refused:
            web.clients.client(URL)
        seen.append(refused.value)
    assert len(web.asked) == 1
    assert len(set(map(id, seen))) == 3, "an error that is raised again would grow with every raise"
    web.fault = None
    web.now += 59
    with pytest.raises(raised):
        web.clients.client(URL)
    web.now += 1
    assert web.clients.client(URL).name == "Claude Code"


def test_that_a_document_cannot_be_had_now_is_no_reason_to_register_again() -> None:
    error = DocumentUnavailableError("Busy.")
    assert (error.error, error.status, error.retryable) == ("temporarily_unavailable", 503, True)


def test_no_more_clients_are_kept_than_there_is_room_for_and_those_in_use_stay(web: Web) -> None:
    web.put()
    web.clients.client(URL)
    for number in range(2 * MAX_CLIENTS):
        url = f"https://a{number}.example/client.json"
        web.put(url)
        web.clients.client(url)
        web.clients.client(URL)
    assert web.asked.count(URL) == 1
    web.asked.clear()
    web.clients.client("https://a0.example/client.json")
    assert web.asked == ["https://a0.example/client.json"]


def test_a_flood_of_made_up_addresses_puts_no_client_out(web: Web) -> None:
    web.put()
    web.clients.client(URL)
    for number in range(2 * MAX_FAULTS):
        with pytest.raises(UnknownClientError):
            web.clients.client(f"https://a{number}.example/client.json")
    web.asked.clear()
    web.clients.client(URL)
    assert web.asked == []
    with pytest.raises(UnknownClientError):
        web.clients.client("https://a0.example/client.json")
    assert web.asked == ["https://a0.example/client.json"]


def test_a_document_of_this_machine_is_a_client_only_where_that_is_said() -> None:
    documents: list[bytes] = []
    with scripted_server(lambda _: iter([answer(documents[0])])) as server:
        url = f"http://127.0.0.1:{server.port}/client.json"
        documents.append(json.dumps({"client_id": url, "redirect_uris": URIS}).encode())
        client = ClientDocuments(local=True).client(url)
        assert (client.redirect_uris, client.verified_host) == (tuple(URIS), "127.0.0.1")
        with pytest.raises(UnknownClientError):
            ClientDocuments().client(url)
        assert len(server.requests) == 1


@given(body=st.binary(max_size=200), header=st.text(max_size=50))
def test_whatever_a_server_answers_no_other_error_comes_out(body: bytes, header: str) -> None:
    web = Web()
    web.documents[URL] = body
    web.headers["cache-control"] = header
    with pytest.raises(UnknownClientError):
        web.clients.client(URL)


@given(header=st.text(max_size=50) | st.from_regex(r"(s-maxage|max-age)=\d{0,12}(, ?[a-z-]+)?", fullmatch=True))
def test_whatever_a_header_says_a_client_is_kept_for_five_minutes_to_a_day(header: str) -> None:
    web = Web()
    web.put()
    web.headers["cache-control"] = header
    web.clients.client(URL)
    web.now += 299
    web.clients.client(URL)
    assert len(web.asked) == 1
    web.now += 86_400
    web.clients.client(URL)
    assert len(web.asked) == 2
