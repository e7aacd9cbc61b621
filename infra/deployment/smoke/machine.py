"""A token for a program without a person (client_credentials)."""

from __future__ import annotations

from typing import Any

import httpx2

from infra.deployment.smoke.steps import StepError
from infra.deployment.smoke.target import SCOPE, Target

_SECONDS = 20.0


def machine_token(target: Target) -> str:
    """An access token of the machine client; never show it.

    Raises:
        StepError: the pool does not answer or refuses.
        AccountError: the client's secret cannot be had.
    """
    address = f"{target.pool_url}/oauth2/token"
    form = {"grant_type": "client_credentials", "scope": f"{target.url}/{SCOPE}"}
    try:
        answer = httpx2.post(address, data=form, auth=(target.client_id, target.secret()), timeout=_SECONDS)
    except httpx2.HTTPError as error:
        raise StepError(f"{address} does not answer ({type(error).__name__}).") from error
    document = _object_of(answer)
    token = document.get("access_token")
    if answer.status_code != 200 or not isinstance(token, str):
        raise StepError(
            f"The user pool gives the machine client {target.client_id} no token ({answer.status_code}, "
            f"{document.get('error', 'and not why')}): it must have the grant client_credentials and the scope "
            f"{target.url}/{SCOPE}."
        )
    return token


def _object_of(answer: httpx2.Response) -> dict[str, Any]:
    """The JSON object of the answer; empty where it has none."""
    try:
        document = answer.json()
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
