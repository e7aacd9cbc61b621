"""App clients of programs that get tokens without a person."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_cognito as cognito
from constructs import Construct, IDependable

from infra.settings import Environment


def add_machine(
    scope: Construct,
    name: str,
    *,
    pool: cognito.UserPool,
    scope_of_tokens: cognito.OAuthScope,
    environment: Environment,
    after: IDependable,
) -> cognito.UserPoolClient:
    """The app client of the machine `name`, with a secret of its own that only the pool tells.

    `after` is what the scope of its tokens belongs to.
    """
    client = cognito.UserPoolClient(
        scope,
        f"Machine {name}",
        user_pool=pool,
        user_pool_client_name=f"machine-{name}",
        generate_secret=True,
        # No way to sign in as a person: what is left is a flow that needs a refresh token, and machines get none.
        auth_flows=cognito.AuthFlow(user=False),
        o_auth=cognito.OAuthSettings(flows=cognito.OAuthFlows(client_credentials=True), scopes=[scope_of_tokens]),
        access_token_validity=cdk.Duration.minutes(environment.signin.access_token_minutes),
        enable_token_revocation=True,
        prevent_user_existence_errors=True,
        supported_identity_providers=[cognito.UserPoolClientIdentityProvider.COGNITO],
    )
    client.node.add_dependency(after)
    return client
