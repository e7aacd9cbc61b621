"""Sign-in failures that users of other servers have reported in public, each as a test that it does not happen here.

Those about the MCP endpoint itself (anthropics/claude-ai-mcp#136, GET and DELETE of #309) are tested with search.
"""

from __future__ import annotations

from urllib.parse import urlencode

import httpx2
import pytest

from tests.integration.conftest import NewBrowser
from tests.support.browser import Browser
from tests.support.cognito_pool import s256
from tests.support.http_events import FORMS, EventForm
from tests.support.oauth_client import (
    APP,
    LOOPBACK,
    WEB,
    OAuthClient,
    approve,
    error_of,
    link_to_app,
    post,
    register,
)
from tests.support.signin_endpoint import ANNA, APP_CLIENT, SigninEndpoint
from tests.support.site import Site

RESOURCE_PATHS = ("/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource")
SERVER_PATHS = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")
CURSOR = [APP, "https://www.cursor.com/agents/mcp/oauth/callback", "http://localhost:8787/callback"]
CHATGPT = "https://chatgpt.com/connector/oauth/"


def signed_in(browser: Browser, client: OAuthClient, **changes: str | None) -> httpx2.Response:
    """The answer of the token endpoint, after a sign-in with `changes` in the first request."""
    attempt = client.begin(**changes)
    return client.redeem(attempt, client.answer(attempt, approve(browser, attempt, ANNA))["code"])


# -- what Cognito and API Gateway do ---------------------------------------------------------------------------------


def test_the_metadata_is_found_where_the_gateway_renames_the_header_that_names_it(signin: SigninEndpoint) -> None:
    """anthropics/claude-ai-mcp#748: clients then try the usual places, which must all answer."""
    for path in RESOURCE_PATHS:
        assert httpx2.get(signin.origin + path).json()["authorization_servers"] == [signin.origin]


def test_every_metadata_document_lists_s256_and_clients_without_a_secret(signin: SigninEndpoint) -> None:
    """anthropics/claude-ai-mcp#946, anthropics/claude-code#13275: Cognito's document does not."""
    for path in SERVER_PATHS:
        document = httpx2.get(signin.origin + path).json()
        assert document["code_challenge_methods_supported"] == ["S256"]
        assert document["token_endpoint_auth_methods_supported"] == ["none"]
        assert document["issuer"] == signin.origin
        for name in ("authorization_endpoint", "token_endpoint", "registration_endpoint"):
            assert document[name].startswith(f"{signin.origin}/")


def test_the_document_of_openid_has_what_its_readers_demand(signin: SigninEndpoint) -> None:
    """The TypeScript SDK refuses one without these, even where it wants none of it."""
    document = httpx2.get(signin.origin + SERVER_PATHS[1]).json()
    assert document["subject_types_supported"]
    assert document["id_token_signing_alg_values_supported"]
    assert "keys" in httpx2.get(document["jwks_uri"]).json()


def test_an_exchange_that_fails_says_why(signin: SigninEndpoint, browser: Browser) -> None:
    """anthropics/claude-code#35846: the exchange failed in silence."""
    client = OAuthClient.registered(signin.origin)
    attempt = client.begin()
    code = client.answer(attempt, approve(browser, attempt, ANNA))["code"]
    refused = client.redeem(attempt, code, code_verifier="v" * 43)
    assert error_of(refused) == (400, "invalid_grant")
    assert "code_verifier" in refused.json()["error_description"]


def test_a_client_that_asks_for_no_scope_gets_a_token_that_works(signin: SigninEndpoint, browser: Browser) -> None:
    """anthropics/claude-code#90190: no scopes in the metadata, so none was asked for, and the exchange failed."""
    for path in RESOURCE_PATHS:
        assert httpx2.get(signin.origin + path).json()["scopes_supported"] == ["docs:read"]
    tokens = signed_in(browser, OAuthClient.registered(signin.origin), scope=None).json()
    assert tokens["scope"] == "docs:read"


@pytest.mark.parametrize("scope", ["phone", "openid email phone profile", "claudeai", "docs:read offline_access", " "])
def test_scopes_that_clients_make_up_do_no_harm(signin: SigninEndpoint, browser: Browser, scope: str) -> None:
    """openchoreo/openchoreo#3217, modelcontextprotocol#653, and Claude Desktop's offline_access: invalid_scope."""
    tokens = signed_in(browser, OAuthClient.registered(signin.origin), scope=scope).json()
    assert tokens["scope"] == "docs:read"


def test_a_client_id_of_the_pool_that_somebody_pasted_is_refused_with_a_sentence(
    signin: SigninEndpoint, browser: Browser
) -> None:
    """anthropics/claude-code#67258: a preset client id. Only ids of our own are good, and it says what to do."""
    page = browser.open(OAuthClient(signin.origin, APP_CLIENT, LOOPBACK).begin().url)
    assert (page.status, "register again" in page.words) == (400, True)


def test_a_pool_without_a_resource_server_is_never_asked_to_bind(
    signin: SigninEndpoint, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PrefectHQ/fastmcp#2139, PR 2149: invalid_grant until a resource server equals the URL."""
    monkeypatch.setattr(signin.pool, "resource_servers", set())
    app = signin.pool.clients[APP_CLIENT]
    monkeypatch.setitem(
        signin.pool.clients,
        APP_CLIENT,
        type(app)(app.client_id, app.secret, ("docs:read", "openid"), app.redirect_uris),
    )
    with signin.restarted(resource_binding="0"):
        assert signed_in(browser, OAuthClient.registered(signin.origin)).status_code == 200


def test_no_header_for_browsers_is_there_twice(signin: SigninEndpoint) -> None:
    """PrefectHQ/fastmcp PR 2149: two of them are none to a browser."""
    for path in (*RESOURCE_PATHS, *SERVER_PATHS, "/.well-known/unknown"):
        answer = httpx2.get(signin.origin + path, headers={"Origin": "http://localhost:6274"})
        assert answer.headers.get_list("access-control-allow-origin") == ["*"]


def test_no_address_in_the_metadata_has_the_name_of_a_stage(signin: SigninEndpoint) -> None:
    """PrefectHQ/fastmcp#2889: a stage before the path, which nothing is served at."""
    for path in (*RESOURCE_PATHS, *SERVER_PATHS):
        for value in httpx2.get(signin.origin + path).json().values():
            if isinstance(value, str) and value.startswith("http"):
                assert value.removeprefix(signin.origin).count("/") <= 2
                assert value in (signin.origin, signin.url) or httpx2.get(value).status_code in (200, 400, 405)


@pytest.mark.parametrize("form", FORMS)
def test_the_paths_are_the_same_behind_a_stage(signin: SigninEndpoint, form: EventForm) -> None:
    """An HTTP API may have a named stage, and a REST API always has one."""
    event = form("GET", RESOURCE_PATHS[0], "prod", body=None)
    headers = {"host": "localhost"}
    event |= {"headers": headers, "multiValueHeaders": {"host": ["localhost"]}}
    answer = signin.functions["signin"](event)
    assert isinstance(answer, dict)
    assert answer["statusCode"] == 200


@pytest.mark.parametrize("resource", [None, "SAME", "SAME/"])
def test_the_resource_may_have_been_dropped_on_the_way(
    signin: SigninEndpoint, browser: Browser, resource: str | None
) -> None:
    """anthropics/claude-ai-mcp#309, openai/codex#24890: a proxy strips it, or a client sends it once only."""
    client = OAuthClient.registered(signin.origin)
    named = resource and resource.replace("SAME", signin.url)
    for first, second in ((named, None), (None, named)):
        attempt = client.begin(resource=first)
        code = client.answer(attempt, approve(browser, attempt, ANNA))["code"]
        tokens = client.redeem(attempt, code, resource=second).json()
        assert client.refresh(tokens["refresh_token"], resource=first).status_code == 200


def test_a_client_is_told_that_and_when_to_refresh(signin: SigninEndpoint, browser: Browser) -> None:
    """anthropics/claude-code#65036, #68377: refresh tokens that are not used."""
    for path in SERVER_PATHS:
        assert "refresh_token" in httpx2.get(signin.origin + path).json()["grant_types_supported"]
    made = register(signin.origin, LOOPBACK, grant_types=["authorization_code"]).json()
    assert "refresh_token" in made["grant_types"]
    tokens = signed_in(browser, OAuthClient(signin.origin, made["client_id"], LOOPBACK)).json()
    assert tokens["expires_in"] == 3600
    assert tokens["refresh_token"]


def test_calls_to_an_instance_that_is_warm_are_answered_like_the_first(signin: SigninEndpoint) -> None:
    """modelcontextprotocol/python-sdk#3121, mangum #342, agno #5334: only the first invocation worked."""
    answers = {httpx2.get(signin.origin + SERVER_PATHS[0]).text for _ in range(5)}
    assert len(answers) == 1


# -- redirects -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_a_document_with_a_loopback_address_without_a_port_is_good_for_every_port(
    signin: SigninEndpoint, browser: Browser, site: Site, host: str
) -> None:
    """anthropics/claude-code#37767, #37747, #42301, #38296, #64705: what Claude Code's own document says."""
    listed = ("http://localhost/callback", "http://127.0.0.1/callback")
    client_id = site.describes("/oauth/claude-code-client-metadata", *listed, application_type="native")
    for port in (3118, 58135, 65535):
        client = OAuthClient(signin.origin, client_id, f"http://{host}:{port}/callback")
        assert signed_in(browser, client).status_code == 200


def test_the_long_path_of_a_codex_callback_is_good(signin: SigninEndpoint, browser: Browser) -> None:
    """openai/codex#30460: `/callback/<12 characters>` was refused; Codex sends it where `iss` is not advertised."""
    client = OAuthClient.registered(signin.origin, "http://127.0.0.1:63546/callback/6MFBM1In3Ey-")
    assert signed_in(browser, client).status_code == 200
    for path in SERVER_PATHS:
        assert httpx2.get(signin.origin + path).json()["authorization_response_iss_parameter_supported"] is True


def test_a_client_may_listen_elsewhere_than_it_registered(signin: SigninEndpoint, browser: Browser) -> None:
    """microsoft/vscode#278512: port 33418 was taken."""
    made = register(signin.origin, "https://vscode.dev/redirect", "http://127.0.0.1/", "http://127.0.0.1:33418/").json()
    client = OAuthClient(signin.origin, made["client_id"], "http://127.0.0.1:59656/")
    assert signed_in(browser, client).status_code == 200


@pytest.mark.parametrize("uri", CURSOR)
def test_a_client_with_the_three_addresses_of_cursor_may_use_each(
    signin: SigninEndpoint, browser: Browser, uri: str
) -> None:
    """better-auth/better-auth#10946, makeplane/plane-mcp-server#159, modelcontextprotocol/python-sdk#897."""
    made = register(signin.origin, *CURSOR).json()
    assert made["redirect_uris"] == CURSOR
    assert signed_in(browser, OAuthClient(signin.origin, made["client_id"], uri)).status_code == 200


def test_one_address_that_cannot_be_used_does_not_cost_a_client_the_others(signin: SigninEndpoint) -> None:
    """soflyy/agent-connector-for-wp#111: the whole set was refused."""
    made = register(signin.origin, "http://example.com/cb", APP, "javascript:alert(1)").json()
    assert made["redirect_uris"] == [APP]


def test_the_link_to_an_app_is_in_the_page_as_it_is(signin: SigninEndpoint, browser: Browser) -> None:
    """inbox-zero PR 3784: a sanitizer dropped `cursor://`."""
    client = OAuthClient.registered(signin.origin, APP)
    page = approve(browser, client.begin(), ANNA)
    assert link_to_app(page).startswith(f"{APP}?code=")
    assert page.element("a#target").attributes["href"] == link_to_app(page)


def test_each_connector_of_chatgpt_has_a_callback_of_its_own(signin: SigninEndpoint, browser: Browser) -> None:
    """BasedHardware/omi#8824: a list of allowed addresses did not know them. Where hosts are limited, they fit too."""
    uris = [f"{CHATGPT}{name}" for name in ("abc", "Xy_9-", "g-p-6875")]
    with signin.restarted(redirect_hosts="chatgpt.com,claude.ai"):
        for uri in (*uris, WEB):
            assert signed_in(browser, OAuthClient.registered(signin.origin, uri)).status_code == 200
        assert error_of(register(signin.origin, CURSOR[1])) == (400, "invalid_redirect_uri")


def test_a_client_id_that_is_a_list_of_addresses_is_told_to_the_person(
    signin: SigninEndpoint, browser: Browser
) -> None:
    """microsoft/vscode#337174: the one was pasted into the field of the other."""
    addresses = ("https://vscode.dev/redirect", "http://127.0.0.1:33418/")
    for client_id in (" ".join(addresses), "\n".join(addresses), f"[{','.join(addresses)}]"):
        page = browser.open(OAuthClient(signin.origin, client_id, LOOPBACK).begin().url)
        assert page.status == 400
        assert page.hops == (page.url,)


# -- metadata and parameters -----------------------------------------------------------------------------------------


def test_the_resource_is_the_address_that_people_type_whatever_name_they_ask_under(signin: SigninEndpoint) -> None:
    """anthropics/claude-ai-mcp#560, stormkit#363: on another host, or without its path. VS Code refuses either."""
    with signin.restarted(hosts="docs.internal.example,127.0.0.1"):
        for host in (None, "docs.internal.example", "127.0.0.1:1"):
            for path in RESOURCE_PATHS:
                answer = httpx2.get(signin.origin + path, headers={"Host": host} if host else {})
                assert answer.json()["resource"] == signin.url


def test_a_name_that_the_settings_list_is_answered(signin: SigninEndpoint) -> None:
    """modelcontextprotocol/python-sdk#1798, #2688: 421 behind a domain of one's own."""
    for hosts, status in (("docs.internal.example", 200), ("", 421)):
        with signin.restarted(hosts=hosts):
            answer = httpx2.get(signin.origin + SERVER_PATHS[0], headers={"Host": "docs.internal.example"})
            assert answer.status_code == status


@pytest.mark.parametrize(
    "path",
    [
        "/.well-known/oauth-authorization-server/mcp",
        "/.well-known/openid-configuration/mcp",
        "/.well-known/oauth-protected-resource/other",
        "/.well-known/unknown",
        "/mcp2/.well-known/oauth-protected-resource",
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_document_that_is_not_there_is_not_found_in_json(signin: SigninEndpoint, path: str, method: str) -> None:
    """modelcontextprotocol/inspector#1288: anything but 404 ended the search."""
    answer = httpx2.request(method, signin.origin + path)
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/json")
    if method == "GET":
        assert answer.json()["error"] == "not_found"


def test_what_a_registration_says_beyond_what_we_read_does_no_harm(signin: SigninEndpoint) -> None:
    """turnstone#1082: `resource` in the registration was an error."""
    beyond = {"resource": signin.url, "application_type": "native", "scope": "docs:read", "software_id": "x"}
    answer = register(
        signin.origin, LOOPBACK, **beyond, jwks={"keys": []}, contacts=None, logo_uri="https://a.example/"
    )
    assert answer.status_code == 201


def test_a_client_that_is_no_longer_known_is_told_so_that_it_registers_again(
    signin: SigninEndpoint, browser: Browser, new_browser: NewBrowser
) -> None:
    """supabase/mcp#355: a stale client got an answer that is none of OAuth, and never recovered."""
    client = OAuthClient.registered(signin.origin)
    token = client.sign_in(browser, ANNA)["refresh_token"]
    stale = OAuthClient(signin.origin, "gone.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", LOOPBACK)
    assert error_of(stale.refresh(token)) == (401, "invalid_client")
    attempt = stale.begin()
    assert error_of(stale.redeem(attempt, "code")) == (401, "invalid_client")
    again = OAuthClient.registered(signin.origin)
    assert again.client_id != client.client_id
    assert signed_in(new_browser(), again).status_code == 200


def test_a_verifier_may_have_every_character_of_the_standard(signin: SigninEndpoint, browser: Browser) -> None:
    """Clients send dots and tildes."""
    client = OAuthClient.registered(signin.origin)
    for verifier in ("-._~" * 11, "aZ09" * 32, "~" * 43):
        attempt = client.begin(code_challenge=s256(verifier))
        code = client.answer(attempt, approve(browser, attempt, ANNA))["code"]
        assert client.redeem(attempt, code, code_verifier=verifier).status_code == 200


def test_a_client_that_authenticates_although_it_need_not_is_let_in_if_it_is_the_same(
    signin: SigninEndpoint, browser: Browser
) -> None:
    """Some send an empty secret, or their id by HTTP Basic authentication."""
    client = OAuthClient.registered(signin.origin)
    token = client.sign_in(browser, ANNA)["refresh_token"]
    form = {"grant_type": "refresh_token", "refresh_token": token}
    url = f"{signin.origin}/token"
    with httpx2.Client(auth=(client.client_id, "")) as http:
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        assert http.post(url, content=urlencode(form), headers=kind).status_code == 200
        other = urlencode(form | {"client_id": "other"})
        assert error_of(http.post(url, content=other, headers=kind)) == (401, "invalid_client")
    assert post(url, form | {"client_id": client.client_id, "client_secret": ""}).status_code == 200
