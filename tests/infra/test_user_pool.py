"""The user pool: who gets tokens, by which way, and for what."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from docshelf.signin.settings import SigninSettings
from infra.settings import Environment
from infra.user_pool import domain_prefix
from tests.support.template import Template

POOL, CLIENT = "AWS::Cognito::UserPool", "AWS::Cognito::UserPoolClient"
SERVER, DOMAIN = "AWS::Cognito::UserPoolResourceServer", "AWS::Cognito::UserPoolDomain"
PROVIDER, GROUP = "AWS::Cognito::UserPoolIdentityProvider", "AWS::Cognito::UserPoolGroup"
BRANDING = "AWS::Cognito::ManagedLoginBranding"

WITH_PROVIDER = ["everything", "seesaws"]
MFA = {"off": "OFF", "optional": "OPTIONAL", "required": "ON"}

ENVIRONMENT_NAMES = st.from_regex(r"[a-z]([a-z0-9]|-(?=[a-z0-9])){0,19}", fullmatch=True)
ACCOUNTS = st.from_regex(r"[0-9]{12}", fullmatch=True)


def variables(template: Template, function: str) -> dict[str, str]:
    found: dict[str, str] = template.one("AWS::Lambda::Function", f"Functions/{function}")["Environment"]["Variables"]
    return found


def signin_settings(template: Template) -> SigninSettings:
    return SigninSettings.from_environment(variables(template, "Signin"))


def people(template: Template) -> dict[str, Any]:
    return template.properties(signin_settings(template).cognito_client_id)


def machines(template: Template) -> dict[str, dict[str, Any]]:
    found = {one: template.properties(one) for one in template.ids(CLIENT)}
    return {one: client for one, client in found.items() if one != signin_settings(template).cognito_client_id}


def texts(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a template, with the names that lead to it."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, list):
        for item in value:
            yield from texts(item, path)
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from texts(item, f"{path}/{name}")


def test_the_pool_has_the_plan_that_binds_tokens_and_nobody_signs_up(template: Template) -> None:
    pool = template.one(POOL, "UserPool")
    assert pool["UserPoolTier"] == "ESSENTIALS"
    assert pool["AdminCreateUserConfig"]["AllowAdminCreateUserOnly"] is True
    assert (pool["UsernameAttributes"], pool["UsernameConfiguration"]) == (["email"], {"CaseSensitive": False})
    assert pool["AutoVerifiedAttributes"] == ["email"]
    assert [one["Name"] for one in pool["AccountRecoverySetting"]["RecoveryMechanisms"]] == ["verified_email"]
    assert pool["Schema"] == [{"Name": "email", "Required": True, "Mutable": True}]


def test_passwords_are_long_and_of_all_kinds_and_the_second_factor_is_as_the_setting_says(
    template: Template, environment: Environment
) -> None:
    pool = template.one(POOL, "UserPool")
    policy = pool["Policies"]["PasswordPolicy"]
    assert policy["MinimumLength"] >= 12
    assert all(policy[f"Require{kind}"] for kind in ("Lowercase", "Uppercase", "Numbers", "Symbols"))
    assert pool["MfaConfiguration"] == MFA[environment.signin.mfa]
    assert pool.get("EnabledMfas") == (None if environment.signin.mfa == "off" else ["SOFTWARE_TOKEN_MFA"])


def test_an_invitation_says_where_the_account_is_for(template: Template) -> None:
    invitation = template.one(POOL, "UserPool")["AdminCreateUserConfig"]["InviteMessageTemplate"]
    assert f"{signin_settings(template).issuer}/" in invitation["EmailMessage"]
    assert {"{username}", "{####}"} <= set(re.findall(r"\{.+?\}", invitation["EmailMessage"]))
    assert len(invitation["EmailSubject"]) <= 140


def test_the_pool_outlives_its_stack_where_data_are_retained(template: Template, environment: Environment) -> None:
    resource = template.resources[template.id(POOL, "UserPool")]
    kept = environment.retain_data
    assert resource["DeletionPolicy"] == ("Retain" if kept else "Delete")
    assert resource["Properties"]["DeletionProtection"] == ("ACTIVE" if kept else "INACTIVE")


def test_the_resource_server_is_the_address_and_has_a_name_that_cognito_takes(template: Template) -> None:
    server, settings = template.one(SERVER, "UserPool"), signin_settings(template)
    assert server["Identifier"] == settings.url
    assert re.fullmatch(r"[\w\s+=,.@-]{1,256}", server["Name"])
    assert [one["ScopeName"] for one in server["Scopes"]] == [settings.scope]


def test_the_sign_in_asks_for_what_its_app_client_may_have(template: Template) -> None:
    client, settings = people(template), signin_settings(template)
    assert client["CallbackURLs"] == [settings.callback_url]
    assert client["AllowedOAuthScopes"] == [settings.upstream_scope]
    assert (client["AllowedOAuthFlows"], client["AllowedOAuthFlowsUserPoolClient"]) == (["code"], True)
    assert client["GenerateSecret"] is (settings.cognito_client_secret is not None) is False


def test_people_sign_in_by_the_pages_of_the_pool_alone(template: Template) -> None:
    client = people(template)
    assert client["ExplicitAuthFlows"] == ["ALLOW_USER_AUTH"]
    assert client["PreventUserExistenceErrors"] == "ENABLED"
    branding = template.one(BRANDING, "UserPool")
    assert branding["ClientId"] == signin_settings(template).cognito_client_id
    assert branding["UseCognitoProvidedValues"] is True
    assert template.one(DOMAIN, "UserPool")["ManagedLoginVersion"] == 2


def test_tokens_are_good_for_as_long_as_the_settings_say_and_refresh_tokens_are_replaced(
    template: Template, environment: Environment
) -> None:
    client, units = people(template), people(template)["TokenValidityUnits"]
    assert (client["AccessTokenValidity"], units["AccessToken"]) == (environment.signin.access_token_minutes, "minutes")
    assert units["RefreshToken"] == "minutes"
    assert client["RefreshTokenValidity"] == environment.signin.refresh_token_days * 24 * 60
    assert client["RefreshTokenRotation"] == {"Feature": "ENABLED", "RetryGracePeriodSeconds": 60}
    assert client["EnableTokenRevocation"] is True


def test_each_machine_has_a_client_with_a_secret_and_one_way_to_a_token(
    template: Template, environment: Environment
) -> None:
    found = machines(template)
    assert {client["ClientName"] for client in found.values()} == {f"machine-{name}" for name in environment.machines}
    for client in found.values():
        assert client["GenerateSecret"] is True
        assert client["AllowedOAuthFlows"] == ["client_credentials"]
        assert client["AllowedOAuthScopes"] == [signin_settings(template).upstream_scope]
        assert client["ExplicitAuthFlows"] == ["ALLOW_REFRESH_TOKEN_AUTH"], "a person cannot sign in by it"
        assert "CallbackURLs" not in client
    told = json.loads(template.outputs()["MachineClientIds"])
    assert {name: found[one]["ClientName"] for name, one in told.items()} == {
        name: f"machine-{name}" for name in environment.machines
    }


def test_search_takes_tokens_of_this_pool_and_these_clients(template: Template) -> None:
    known = variables(template, "Search")
    pool = template.id(POOL, "UserPool")
    assert known["DOCSHELF_TOKEN_ISSUER"] == f"https://cognito-idp.{template.region}.amazonaws.com/{pool}"
    assert set(known["DOCSHELF_CLIENT_IDS"].split(",")) == set(template.ids(CLIENT))


def test_clients_are_made_after_the_scope_and_the_providers_that_they_name(template: Template) -> None:
    for client in template.ids(CLIENT):
        after = set(template.resources[client]["DependsOn"])
        named = template.ids(PROVIDER) if client == signin_settings(template).cognito_client_id else []
        assert {template.id(SERVER, "UserPool"), *named} <= after


def test_the_sign_in_sends_people_to_the_domain_of_the_pool(template: Template) -> None:
    domain = template.one(DOMAIN, "UserPool")["Domain"]
    told = variables(template, "Signin")["DOCSHELF_COGNITO_URL"]
    assert told == f"https://{domain}.auth.{template.region}.amazoncognito.com"


def test_the_groups_are_those_that_open_collections(template: Template, environment: Environment) -> None:
    made = {template.properties(one)["GroupName"] for one in template.ids(GROUP)}
    assert made == set(environment.access or ()) - {"*"}


def test_people_sign_in_at_the_company_or_at_the_pool_as_the_settings_say(
    template: Template, environment: Environment
) -> None:
    provider = environment.identity_provider
    wanted = set() if provider and not provider.local_people else {"COGNITO"}
    assert set(people(template)["SupportedIdentityProviders"]) == wanted | ({provider.name} if provider else set())
    assert bool(template.ids(PROVIDER)) is (provider is not None)


@pytest.mark.parametrize("name", WITH_PROVIDER)
def test_a_company_s_provider_is_told_what_it_needs(template: Template, environment: Environment) -> None:
    settings, made = environment.identity_provider, template.one(PROVIDER, "UserPool")
    assert settings is not None
    assert made["ProviderName"] == settings.name
    assert made["AttributeMapping"] == {"email": settings.email_claim}
    details = made["ProviderDetails"]
    if settings.kind == "saml":
        assert (made["ProviderType"], details["MetadataURL"]) == ("SAML", settings.metadata_url)
        return
    assert made["ProviderType"] == "OIDC"
    assert (details["oidc_issuer"], details["client_id"]) == (settings.issuer, settings.client_id)
    assert details["authorize_scopes"].split() == list(settings.scopes)
    # CloudFormation puts the secret there; the template only says where it is.
    assert details["client_secret"] == f"{{{{resolve:secretsmanager:{settings.client_secret_arn}:SecretString:::}}}}"


def test_no_template_holds_a_secret(template: Template) -> None:
    of_secrets = [
        (path, text)
        for path, text in texts(template.content)
        if re.search(r"secret|password", path.rpartition("/")[2], re.IGNORECASE)
    ]
    for path, text in of_secrets:
        if not path.endswith("/GenerateSecretString/SecretStringTemplate"):
            assert text.startswith("{{resolve:secretsmanager:arn:"), path
    assert of_secrets


@given(ENVIRONMENT_NAMES, ACCOUNTS)
@example("aws", "123456789012")
@example("amazon-cognito", "123456789012")
@example("seesaws", "123456789012")
@example("abcdefghijklmnopqrst", "123456789012")
def test_any_environment_gets_a_domain_that_cognito_takes(name: str, account: str) -> None:
    prefix = domain_prefix(name, account)
    assert re.fullmatch(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?", prefix)
    assert not re.search("aws|amazon|cognito", prefix)


@given(ENVIRONMENT_NAMES, ENVIRONMENT_NAMES, ACCOUNTS, ACCOUNTS)
@example("aws-1", "aws-2", "123456789012", "123456789012")
@example("a", "a-1", "123456789012", "123456789012")
def test_no_two_environments_get_the_same_domain(name: str, other: str, account: str, another: str) -> None:
    assert (domain_prefix(name, account) == domain_prefix(other, another)) is ((name, account) == (other, another))
