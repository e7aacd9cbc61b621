"""How functions start from their layers: what it costs, and what a snapshot of it keeps."""

from __future__ import annotations

from pathlib import Path

from scripts.bench.cold_start import start
from scripts.bench.cold_start_cases import cases
from tests.support.api_gateway import api_gateway
from tests.support.commands import EXAMPLES
from tests.support.lambda_runtime import LambdaRuntime
from tests.support.layered_function import Deployed
from tests.support.sdk_search import found
from tests.support.search_endpoint import indexed
from tests.support.tokens import TokenIssuer

KEY, QUESTION = "delivery/release-guide.md", "How is a release rolled back?"
MOST_TEMPORARY_MB = 512
"""What a function that starts from a snapshot may have."""


def test_search_goes_on_from_a_snapshot_with_what_it_has_unpacked(
    functions: Deployed, moto_url: str, tmp_path: Path
) -> None:
    index = indexed(moto_url, {KEY: (EXAMPLES / KEY).read_bytes()})
    home = functions.home("search")
    with TokenIssuer() as issuer:
        environment = {
            **index,
            **issuer.environment,
            "DOCSHELF_HOSTS": "127.0.0.1",
            "DOCSHELF_MODEL": home.variables["DOCSHELF_MODEL"],
        }
        with (
            LambdaRuntime("search", environment, tmp_path / "log", snap_start=True, home=home) as runtime,
            api_gateway(runtime) as origin,
        ):
            runtime.wait_for_snapshot()
            unpacked = {file: file.stat().st_ino for file in functions.temporary("search").rglob("*.so*")}
            assert unpacked
            runtime.restore()
            assert KEY in found(f"{origin}/mcp", issuer.issue(groups=["all"]), QUESTION)
            assert {file: file.stat().st_ino for file in functions.temporary("search").rglob("*.so*")} == unpacked


def test_what_a_function_unpacks_fits_beside_its_snapshot(functions: Deployed, tmp_path: Path) -> None:
    with cases(functions) as wanted:
        starts = {case.label: start(case, functions, tmp_path / "log") for case in wanted}
    assert len(starts) > 4
    for label, each in starts.items():
        assert 0 < each.temporary < MOST_TEMPORARY_MB, label
