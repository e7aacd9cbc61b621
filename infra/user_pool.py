"""The people and machines of an environment: a Cognito user pool with its pages, its scope and its app clients."""

from __future__ import annotations

import hashlib
import html
import textwrap

import aws_cdk as cdk
from aws_cdk import aws_cognito as cognito
from constructs import Construct

from docshelf.setting_values import MCP_PATH
from docshelf.signin.settings import CALLBACK_PATH
from infra.acknowledgements import acknowledge
from infra.identity_provider import add_identity_provider
from infra.machines import add_machine
from infra.settings import Environment

SCOPE_NAME = "docs:read"
"""What a token must grant: `DOCSHELF_SCOPE` of both functions, which have it as their default."""

ROTATION_GRACE_SECONDS = 60
"""How long a refresh token that was replaced still works, for a client that lost the answer."""

_PASSWORD_CHARACTERS = 12
_RESERVED = ("aws", "amazon", "cognito")
_MFA = {"off": cognito.Mfa.OFF, "optional": cognito.Mfa.OPTIONAL, "required": cognito.Mfa.REQUIRED}

_NOT_PLUS = (
    "The Plus plan costs more than all the rest for most environments; people are invited, may not sign up by "
    "themselves, and can have a second factor. A company's own provider brings its own protection."
)
_MFA_BY_SETTING = (
    "signin.mfa of the environment decides; people of a company's own provider have the second factor of that."
)


def domain_prefix(name: str, account: str) -> str:
    """The beginning of the host of the pool's pages, for the environment `name` in `account` (which may be a token).

    Amazon Cognito refuses prefixes with its own names in them, so such an environment's name is hashed.
    """
    readable = f"docshelf-{name}"
    if any(word in readable for word in _RESERVED):
        readable = f"docshelf-{hashlib.sha256(name.encode()).hexdigest()[:20]}"
    return f"{readable}-{account}"


class UserPool(Construct):
    """The pool. Its resource server has the address of the MCP endpoint as its identifier, which binds tokens to it.

    `issuer` is the `iss` of its tokens, `domain_url` the origin of its pages, `client_id` the app client that people
    sign in for, `machine_client_ids` those of machines by their names, `client_ids` all of them.
    """

    def __init__(self, scope: Construct, construct_id: str, *, environment: Environment, url: str) -> None:
        """`url` is the address of the MCP endpoint, which may be a token."""
        super().__init__(scope, construct_id)
        self._environment = environment
        self._url = url
        self.pool = self._pool()
        self._resource_server = self._add_resource_server()
        domain = self._add_domain()
        self._add_groups()
        people = self._add_people()
        self.issuer = self.pool.user_pool_provider_url
        self.domain_url = domain.base_url()
        self.client_id = people.user_pool_client_id
        self.machine_client_ids = {
            name: add_machine(
                self,
                name,
                pool=self.pool,
                scope_of_tokens=self._scope,
                environment=environment,
                after=self._resource_server,
            ).user_pool_client_id
            for name in environment.machines
        }
        self.client_ids = (self.client_id, *self.machine_client_ids.values())

    @property
    def _scope(self) -> cognito.OAuthScope:
        """The scope as the pool names it, and as the sign-in asks for it."""
        return cognito.OAuthScope.custom(f"{self._url}/{SCOPE_NAME}")

    def _pool(self) -> cognito.UserPool:
        environment = self._environment
        pool = cognito.UserPool(
            self,
            "Pool",
            user_pool_name=environment.stack_name,
            # Tokens are bound to a resource from this plan on.
            feature_plan=cognito.FeaturePlan.ESSENTIALS,
            self_sign_up_enabled=False,
            sign_in_aliases=cognito.SignInAliases(email=True),
            sign_in_case_sensitive=False,
            # A company's provider writes the address anew at each sign-in, so it must be allowed to change.
            standard_attributes=cognito.StandardAttributes(
                email=cognito.StandardAttribute(required=True, mutable=True)
            ),
            user_invitation=self._invitation(),
            auto_verify=cognito.AutoVerifiedAttrs(email=True),
            account_recovery=cognito.AccountRecovery.EMAIL_ONLY,
            mfa=_MFA[environment.signin.mfa],
            mfa_second_factor=cognito.MfaSecondFactor(otp=True, sms=False) if environment.signin.mfa != "off" else None,
            password_policy=cognito.PasswordPolicy(
                min_length=_PASSWORD_CHARACTERS,
                require_lowercase=True,
                require_uppercase=True,
                require_digits=True,
                require_symbols=True,
                temp_password_validity=cdk.Duration.days(7),
            ),
            deletion_protection=environment.retain_data,
            removal_policy=cdk.RemovalPolicy.RETAIN if environment.retain_data else cdk.RemovalPolicy.DESTROY,
        )
        acknowledge(pool, {"AwsSolutions-COG8": _NOT_PLUS})
        if environment.signin.mfa != "required":
            acknowledge(pool, {"AwsSolutions-COG2": _MFA_BY_SETTING})
        return pool

    def _invitation(self) -> cognito.UserInvitationConfig:
        """What an invited person is sent: the pool's own words do not say where the account is for."""
        title = html.escape(self._environment.title)
        origin = self._url.removesuffix(MCP_PATH)
        return cognito.UserInvitationConfig(
            email_subject=f"{textwrap.shorten(self._environment.title, 100)}: your account",
            email_body=(
                f"You can search the documents of {title} from your coding client now. "
                f"How to connect it: {origin}/<br><br>You will be asked to sign in. "
                "Your name is {username}, and your first password {####}"
            ),
        )

    def _add_resource_server(self) -> cognito.UserPoolResourceServer:
        return self.pool.add_resource_server(
            "ResourceServer",
            identifier=self._url,
            # The name may not be an address.
            user_pool_resource_server_name="docshelf",
            scopes=[cognito.ResourceServerScope(scope_name=SCOPE_NAME, scope_description="Search and read documents")],
        )

    def _add_domain(self) -> cognito.UserPoolDomain:
        prefix = domain_prefix(self._environment.name, cdk.Stack.of(self).account)
        return self.pool.add_domain(
            "Domain",
            cognito_domain=cognito.CognitoDomainOptions(domain_prefix=prefix),
            managed_login_version=cognito.ManagedLoginVersion.NEWER_MANAGED_LOGIN,
        )

    def _add_groups(self) -> None:
        for name in self._environment.groups:
            cognito.UserPoolGroup(self, f"Group {name}", user_pool=self.pool, group_name=name)

    def _add_people(self) -> cognito.UserPoolClient:
        """The app client of the sign-in: without a secret, since PKCE binds each code to who asked for it."""
        signin, provider = self._environment.signin, self._environment.identity_provider
        providers = [] if provider and not provider.local_people else [cognito.UserPoolClientIdentityProvider.COGNITO]
        after: list[Construct] = [self._resource_server]
        if provider:
            after.append(add_identity_provider(self, "IdentityProvider", pool=self.pool, provider=provider))
            providers.append(cognito.UserPoolClientIdentityProvider.custom(provider.name))
        client = self.pool.add_client(
            "People",
            user_pool_client_name="people",
            generate_secret=False,
            # What the pool's own pages sign in with; its programming interface would take nothing else.
            auth_flows=cognito.AuthFlow(user=True),
            o_auth=cognito.OAuthSettings(
                flows=cognito.OAuthFlows(authorization_code_grant=True),
                callback_urls=[f"{self._url.removesuffix(MCP_PATH)}{CALLBACK_PATH}"],
                scopes=[self._scope],
            ),
            access_token_validity=cdk.Duration.minutes(signin.access_token_minutes),
            refresh_token_validity=cdk.Duration.days(signin.refresh_token_days),
            refresh_token_rotation_grace_period=cdk.Duration.seconds(ROTATION_GRACE_SECONDS),
            enable_token_revocation=True,
            prevent_user_existence_errors=True,
            supported_identity_providers=providers,
        )
        client.node.add_dependency(*after)
        cognito.CfnManagedLoginBranding(
            self,
            "Branding",
            user_pool_id=self.pool.user_pool_id,
            client_id=client.user_pool_client_id,
            use_cognito_provided_values=True,
        )
        return client
