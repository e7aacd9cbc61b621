"""Secrets of Secrets Manager."""

from __future__ import annotations

from docshelf.aws.clients import secrets_client
from docshelf.aws.faults import faults_of
from docshelf.errors import StoreRefusedError


def read_secret(name: str) -> str:
    """The text that the secret with this name or ARN holds now.

    Raises:
        StoreUnavailableError: Secrets Manager does not answer after all attempts.
        StoreDeniedError: a permission is missing, or there are no credentials.
        StoreRefusedError: there is no such secret, or it holds no text.
        SettingsError: DOCSHELF_REQUEST_SECONDS is wrong.
    """
    place = f"The secret {name}"
    with faults_of(place, "secretsmanager:GetSecretValue"):
        answer = secrets_client().get_secret_value(SecretId=name)
    text = answer.get("SecretString")
    if not isinstance(text, str):
        raise StoreRefusedError(f"{place} holds bytes and not a text: store it as a text.")
    return text
