"""The key that the sign-in seals with, made when an environment is deployed for the first time."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from docshelf.signin.sealing_keys import GENERATED
from infra.acknowledgements import acknowledge
from infra.settings import Environment

# Secrets Manager makes another text when anything of this changes, and everybody would have to sign in anew.
_GENERATED = secretsmanager.SecretStringGenerator(
    secret_string_template="{}",  # noqa: S106 - what the generated text is put into
    generate_string_key=GENERATED,
    password_length=64,
    exclude_punctuation=True,
    include_space=False,
)

_MANUAL_ROTATION = (
    "A key is rotated by adding one and keeping the last, since what it sealed lives as long as a refresh token; "
    "docs/operations.md, Sealing keys, says how. A replacement on a schedule would sign everybody out."
)


class SealingKey(Construct):
    """`secret` holds the key; its text is made by Secrets Manager and is in no template."""

    def __init__(self, scope: Construct, construct_id: str, *, environment: Environment) -> None:
        super().__init__(scope, construct_id)
        self.secret = secretsmanager.Secret(
            self,
            "Secret",
            description=f"docshelf {environment.name}: seals what clients and browsers carry for the sign-in",
            generate_secret_string=_GENERATED,
            removal_policy=cdk.RemovalPolicy.RETAIN if environment.retain_data else cdk.RemovalPolicy.DESTROY,
        )
        acknowledge(self.secret, {"AwsSolutions-SMG4": _MANUAL_ROTATION})
