"""A company's own sign-in, in front of the user pool: OpenID Connect or SAML."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_cognito as cognito
from constructs import Construct

from infra.settings.parts import IdentityProvider


def add_identity_provider(
    scope: Construct, construct_id: str, *, pool: cognito.UserPool, provider: IdentityProvider
) -> Construct:
    """What an app client that names the provider must be made after."""
    mapping = cognito.AttributeMapping(email=cognito.ProviderAttribute.other(provider.email_claim))
    if provider.kind == "saml":
        assert provider.metadata_url is not None  # as the settings promise
        return cognito.UserPoolIdentityProviderSaml(
            scope,
            construct_id,
            user_pool=pool,
            name=provider.name,
            metadata=cognito.UserPoolIdentityProviderSamlMetadata.url(provider.metadata_url),
            attribute_mapping=mapping,
        )
    assert provider.issuer is not None
    assert provider.client_id is not None
    assert provider.client_secret_arn is not None
    return cognito.UserPoolIdentityProviderOidc(
        scope,
        construct_id,
        user_pool=pool,
        name=provider.name,
        issuer_url=provider.issuer,
        client_id=provider.client_id,
        # The template names the secret; CloudFormation reads it when it makes the provider.
        client_secret=cdk.SecretValue.secrets_manager(provider.client_secret_arn).unsafe_unwrap(),
        scopes=list(provider.scopes),
        attribute_mapping=mapping,
    )
