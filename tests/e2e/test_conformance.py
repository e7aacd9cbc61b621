"""The official conformance suite asks the search function, in both eras of the protocol.

The suite cannot send a token, so the front adds one to its requests, as one that signs its users in would.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.support.node_clients import DEFINITION, NodeClients
from tests.support.search_endpoint import SearchEndpoint

PASSED = {
    "2025-11-25": {
        "dns-rebinding-protection": 2,
        "ping": 1,
        "server-initialize": 1,
        "tools-call-error": 1,
        "tools-call-simple-text": 1,
        "tools-list": 2,
    },
    "2026-07-28": {
        "caching": 3,
        "dns-rebinding-protection": 2,
        "http-header-validation": 13,
        "input-required-result-ignore-extra-params": 1,
        "input-required-result-unsupported-methods": 1,
        "input-required-result-validate-input": 1,
        "sep-2164-resource-not-found": 1,
        "server-sse-multiple-streams": 1,
        "server-stateless": 23,
        "tools-call-error": 1,
        "tools-call-simple-text": 1,
        "tools-list": 3,
    },
}
"""How many checks of each scenario pass, besides the one that every message fits the protocol's schema."""

SCHEMA_CHECK = "wire-schema-valid"
RESULT = re.compile(r"server-(?P<scenario>.+)-\d{4}-\d\d-\d\dT[\d-]+Z")
ENTRY = re.compile(r"  - (?P<check>\S+:\S+)  # (?P<reason>\S.+)")


@pytest.mark.parametrize("revision", PASSED)
def test_every_check_passes_that_is_not_listed_with_a_reason(
    revision: str, node: NodeClients, endpoint: SearchEndpoint, tmp_path: Path
) -> None:
    listed, results = DEFINITION / f"expected-failures-{revision}.yml", tmp_path / "results"
    with endpoint.with_token_added(endpoint.issuer.issue(groups=["everything"])):
        done = node.run(
            tmp_path,
            "conformance",
            *("server", "--url", endpoint.url, "--suite", "all", "--spec-version", revision),
            *("--expected-failures", str(listed), "--output-dir", str(results)),
        )
    assert done.returncode == 0, done.stdout + done.stderr
    checks = _checks(results)
    failed = {f"{scenario}:{check}" for scenario, check, status in checks if status in ("FAILURE", "WARNING")}
    assert failed == set(_reasons(listed))
    passed = Counter(scenario for scenario, check, status in checks if status == "SUCCESS" and check != SCHEMA_CHECK)
    assert passed == PASSED[revision]
    assert {one.revision for one in endpoint.exchanges if one.status == 200} >= {revision}


def _checks(results: Path) -> list[tuple[str, str, str]]:
    """Scenario, check and status of everything that was checked."""
    found: list[tuple[str, str, str]] = []
    for directory in results.iterdir():
        name = RESULT.fullmatch(directory.name)
        assert name, directory.name
        checks = json.loads((directory / "checks.json").read_text("utf-8"))
        found += [(name["scenario"], str(check["id"]), str(check["status"])) for check in checks]
    return found


def _reasons(path: Path) -> dict[str, str]:
    """The reason of each check that a list says will fail."""
    lines = path.read_text("utf-8").partition("\nserver:\n")[2].splitlines()
    entries = [ENTRY.fullmatch(line) for line in lines]
    assert None not in entries, "every line names one check and the reason why it fails"
    return {entry["check"]: entry["reason"] for entry in entries if entry}
