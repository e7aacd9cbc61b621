"""The steps of one run, in their order."""

from __future__ import annotations

from docshelf.aws.objects import ObjectStore
from docshelf.index.live import LiveIndex
from infra.deployment.smoke.front_door import FrontDoor
from infra.deployment.smoke.looking import (
    Look,
    LookBySearch,
    LookIntoIndex,
    Patience,
    wait_until_found,
    wait_until_gone,
)
from infra.deployment.smoke.machine import machine_token
from infra.deployment.smoke.marker import Marker
from infra.deployment.smoke.searching import Searching
from infra.deployment.smoke.steps import StepError, Steps
from infra.deployment.smoke.target import COLLECTION, Target


def smoke(target: Target, steps: Steps, patience: Patience) -> None:
    """Make every step that can be made. The marker is taken away however this ends, also by Ctrl-C."""
    door = FrontDoor(target.origin, target.url)
    steps.make("health", door.health)
    steps.make("challenge", door.challenge)
    steps.make("refusal", door.refusal)
    steps.make("metadata", door.metadata)
    tokens: list[str] = []
    steps.make("token", lambda: _token(target, tokens))
    steps.make("tools", lambda: Searching(target.url, tokens[0]).tools(), after="token")
    _follow_marker(target, steps, patience, tokens)


def _token(target: Target, tokens: list[str]) -> str:
    tokens.append(machine_token(target))
    return f"the user pool gives the machine client {target.client_id} one"


def _follow_marker(target: Target, steps: Steps, patience: Patience, tokens: list[str]) -> None:
    marker = Marker(ObjectStore(target.bucket))
    try:
        steps.make("upload", marker.upload, after="tools")
        steps.make("found", lambda: wait_until_found(_look(target, marker, tokens[0]), patience), after="upload")
        steps.make("delete", marker.delete, after="upload")
        # What was never found would count as gone.
        gone_after = "delete" if steps.was_well("found") else "found"
        steps.make("gone", lambda: wait_until_gone(_look(target, marker, tokens[0]), patience), after=gone_after)
    finally:
        if marker.uploaded:
            steps.make("clean-up", marker.delete)


def _look(target: Target, marker: Marker, token: str) -> Look:
    searching = Searching(target.url, token)
    if target.sees_marker:
        return LookBySearch(marker, searching)
    if target.index is None:
        raise StepError(
            f"The setting access opens the collection {COLLECTION} to no machine, and no index was named to look into: "
            f'add "{COLLECTION}" to access."*", or give --index.'
        )
    return LookIntoIndex(marker, searching, LiveIndex(target.index))
