"""The one address: what leads where, what is throttled, and what is written down of a request."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from docshelf.access.challenge import challenge
from docshelf.errors import MissingTokenError
from docshelf.settings import SearchSettings
from docshelf.signin.settings import SigninSettings
from infra.settings import Environment
from tests.support.template import Template

API, ROUTE, STAGE = "AWS::ApiGatewayV2::Api", "AWS::ApiGatewayV2::Route", "AWS::ApiGatewayV2::Stage"
INTEGRATION, DOMAIN = "AWS::ApiGatewayV2::Integration", "AWS::ApiGatewayV2::DomainName"
MAPPING, RECORD = "AWS::ApiGatewayV2::ApiMapping", "AWS::Route53::RecordSet"

OWN_DOMAIN = ["everything", "seesaws"]
MOST_SECONDS = 30
"""After which an HTTP API gives up."""


def variables(template: Template, function: str) -> dict[str, str]:
    found: dict[str, str] = template.one("AWS::Lambda::Function", f"Functions/{function}")["Environment"]["Variables"]
    return found


def search_settings(template: Template) -> SearchSettings:
    named = replace(template, names={one: one.lower() for one in template.ids("AWS::S3::Bucket")})
    return SearchSettings.from_environment(variables(named, "Search"))


def routes(template: Template) -> dict[str, dict[str, Any]]:
    found = [template.properties(one) for one in template.ids(ROUTE)]
    return {one["RouteKey"]: one for one in found}


def integration(template: Template, function: str) -> dict[str, Any]:
    alias = template.id("AWS::Lambda::Alias", f"Functions/{function}")
    (found,) = [
        one for each in template.ids(INTEGRATION) if (one := template.properties(each))["IntegrationUri"] == alias
    ]
    return found


def selected(keys: list[str], method: str, path: str) -> str:
    """The route that API Gateway takes: the whole path, then the longest beginning, then the default."""

    def fits(key: str) -> bool:
        of_method, _, pattern = key.partition(" ")
        beginning, greedy, _ = pattern.partition("{proxy+}")
        return of_method in ("ANY", method) and (path.startswith(beginning) if greedy else path == pattern)

    found = [key for key in keys if fits(key)]
    return max(found, key=lambda key: ("{" not in key, len(key))) if found else "$default"


@pytest.mark.parametrize(
    ("method", "path", "function"),
    [
        ("POST", "/mcp", "Search"),
        ("GET", "/mcp", "Search"),
        ("OPTIONS", "/mcp", "Search"),
        ("POST", "/mcp/", "Search"),
        ("GET", "/healthz", "Search"),
        ("GET", "/", "Signin"),
        ("GET", "/.well-known/oauth-protected-resource", "Signin"),
        ("GET", "/.well-known/oauth-protected-resource/mcp", "Signin"),
        ("GET", "/.well-known/oauth-authorization-server", "Signin"),
        ("POST", "/register", "Signin"),
        ("OPTIONS", "/register", "Signin"),
        ("GET", "/authorize", "Signin"),
        ("HEAD", "/authorize", "Signin"),
        ("POST", "/authorize/decision", "Signin"),
        ("GET", "/callback", "Signin"),
        ("POST", "/token", "Signin"),
        ("POST", "/revoke", "Signin"),
        ("GET", "/favicon.ico", "Signin"),
        ("GET", "/mcp-and-more", "Signin"),
    ],
)
def test_each_request_comes_to_the_alias_of_its_function(
    template: Template, method: str, path: str, function: str
) -> None:
    found = routes(template)
    target = found[selected(list(found), method, path)]["Target"].removeprefix("integrations/")
    alias = template.id("AWS::Lambda::Alias", f"Functions/{function}")
    assert template.properties(target)["IntegrationUri"] == alias


def test_functions_get_events_of_payload_2_0_and_give_up_before_the_api_does(template: Template) -> None:
    for function in ("Search", "Signin"):
        made = integration(template, function)
        assert (made["IntegrationType"], made["PayloadFormatVersion"]) == ("AWS_PROXY", "2.0")
        timeout = template.one("AWS::Lambda::Function", f"Functions/{function}")["Timeout"]
        assert timeout * 1_000 < made["TimeoutInMillis"] <= MOST_SECONDS * 1_000


def test_this_api_alone_may_call_the_aliases(template: Template) -> None:
    api = f"arn:aws:execute-api:{template.region}:123456789012:{template.id(API, 'FrontDoor')}"
    aliases = {template.id("AWS::Lambda::Alias", f"Functions/{one}") for one in ("Search", "Signin")}
    allowed = [template.properties(one) for one in template.ids("AWS::Lambda::Permission")]
    assert {one["FunctionName"] for one in allowed} == aliases
    assert {(one["Principal"], one["SourceArn"]) for one in allowed} == {("apigateway.amazonaws.com", f"{api}/*")}


def test_no_route_has_an_authorizer_and_each_says_why(template: Template) -> None:
    assert {one["AuthorizationType"] for one in routes(template).values()} == {"NONE"}
    assert template.ids("AWS::ApiGatewayV2::Authorizer") == []
    reasons = {path: reason for path, finding, reason in template.acknowledgements() if finding.endswith("APIG4")}
    assert len(reasons) == len(routes(template))
    assert all("where to sign in" in reason for reason in reasons.values())


def test_the_api_answers_nothing_by_itself_for_browsers(template: Template) -> None:
    assert "CorsConfiguration" not in template.one(API, "FrontDoor")


def test_every_route_is_throttled_and_the_costly_ones_of_the_sign_in_further(
    template: Template, environment: Environment
) -> None:
    stage, limits = template.one(STAGE, "FrontDoor"), environment.api
    assert (stage["StageName"], stage["AutoDeploy"]) == ("$default", True)
    default = stage["DefaultRouteSettings"]
    assert (default["ThrottlingRateLimit"], default["ThrottlingBurstLimit"]) == (limits.rate, limits.burst)
    further = {
        key: (one["ThrottlingRateLimit"], one["ThrottlingBurstLimit"]) for key, one in stage["RouteSettings"].items()
    }
    keys = list(routes(template))
    costly = {selected(keys, method, path) for method, path in (("POST", "/register"), ("GET", "/authorize"))}
    assert further == dict.fromkeys(costly, (limits.signin_rate, limits.signin_burst))
    assert selected(keys, "HEAD", "/authorize") in further, "it does what GET does"


def test_the_stage_is_made_after_every_route_that_it_has_settings_of(template: Template) -> None:
    made_before = set(template.resources[template.id(STAGE, "FrontDoor")]["DependsOn"])
    assert set(template.ids(ROUTE)) <= made_before


def test_the_access_log_is_json_without_anything_that_a_caller_wrote(template: Template) -> None:
    settings = template.one(STAGE, "FrontDoor")["AccessLogSettings"]
    assert settings["DestinationArn"] == template.arn_of(template.id("AWS::Logs::LogGroup", "FrontDoor"))
    entries = json.loads(settings["Format"])
    assert {"requestId", "time", "method", "route", "status", "latency", "integrationError"} <= entries.keys()
    assert entries["requestId"] == "$context.requestId", "the functions' logs have the same"
    written = [value for value in entries.values() if re.search(r"path|identity|authorizer|header|query|body", value)]
    assert written == []


def test_the_functions_are_told_the_address_that_people_reach(template: Template, environment: Environment) -> None:
    api = template.id(API, "FrontDoor")
    own = (
        environment.domain.name if environment.domain else f"{api.lower()}.execute-api.{template.region}.amazonaws.com"
    )
    for function in ("Search", "Signin"):
        assert variables(template, function)["DOCSHELF_URL"] == f"https://{own}/mcp"
    assert template.outputs()["McpUrl"] == f"https://{own}/mcp"


def test_without_a_domain_of_one_s_own_the_api_has_its_own_address_alone(
    template: Template, environment: Environment
) -> None:
    assert bool(template.ids(DOMAIN)) is (environment.domain is not None)
    assert template.one(API, "FrontDoor")["DisableExecuteApiEndpoint"] is (environment.domain is not None)


@pytest.mark.parametrize("name", OWN_DOMAIN)
def test_a_domain_of_one_s_own_serves_the_stage_by_tls_1_2_with_its_certificate(
    template: Template, environment: Environment
) -> None:
    assert environment.domain is not None
    made = template.one(DOMAIN, "FrontDoor")
    assert made["DomainName"] == environment.domain.name
    assert made["DomainNameConfigurations"] == [
        {
            "CertificateArn": environment.domain.certificate_arn,
            "EndpointType": "REGIONAL",
            "SecurityPolicy": "TLS_1_2",
        }
    ]
    mapping = template.one(MAPPING, "FrontDoor")
    assert (mapping["ApiId"], mapping["Stage"]) == (template.id(API, "FrontDoor"), "$default")
    assert mapping["DomainName"] == template.id(DOMAIN, "FrontDoor")
    assert template.id(STAGE, "FrontDoor") in template.resources[template.id(MAPPING, "FrontDoor")]["DependsOn"]


@pytest.mark.parametrize("name", OWN_DOMAIN)
def test_its_name_is_pointed_at_the_api_or_the_deployment_says_where_it_must_point(
    template: Template, environment: Environment
) -> None:
    assert environment.domain is not None
    target = f"{template.id(DOMAIN, 'FrontDoor')}.RegionalDomainName"
    if environment.domain.hosted_zone_id is None:
        assert template.ids(RECORD) == []
        assert template.outputs()["DomainTarget"] == target
        return
    record = template.one(RECORD, "FrontDoor")
    assert (record["Name"], record["Type"]) == (f"{environment.domain.name}.", "A")
    assert record["HostedZoneId"] == environment.domain.hosted_zone_id
    assert record["AliasTarget"]["DNSName"] == target
    assert "DomainTarget" not in template.outputs()


def test_the_challenge_is_written_anew_only_where_that_is_asked_for_and_as_search_writes_it(
    template: Template, environment: Environment
) -> None:
    assert "ResponseParameters" not in integration(template, "Signin")
    mapped = integration(template, "Search").get("ResponseParameters")
    if not environment.api.restore_challenge:
        assert mapped is None
        return
    settings = search_settings(template)
    wanted = challenge(MissingTokenError(""), resource_metadata=settings.resource_metadata, scope=settings.scope)
    header = {"Destination": "overwrite:header.WWW-Authenticate", "Source": wanted}
    assert mapped == {"401": {"ResponseParameters": [header]}}


def test_the_settings_of_both_functions_can_be_read_and_are_of_one_server(template: Template) -> None:
    signin = SigninSettings.from_environment(variables(template, "Signin"))
    search = search_settings(template)
    assert (signin.url, signin.scope) == (search.url, search.scope)
