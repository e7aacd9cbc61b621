"""The arithmetic of costs, and the page that shows it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from infra.costs.bill import Bill
from infra.costs.command import DEFAULTS, main
from infra.costs.report import assumption_table, changes, comparison, price_table
from infra.costs.tables import Price, read_assumptions, read_prices
from infra.costs.usage import Scenario, Usage, Use
from infra.settings import Environment
from tests.support.assembly import Assembly

ROOT = Path(__file__).resolve().parents[3]
PRICES, ASSUMPTIONS = read_prices(), read_assumptions()
IDLE, SMALL, LARGE = Scenario(0, 0), Scenario(10, 1_000), Scenario(1_000, 100_000)


def month(scenario: Scenario, **settings: object) -> Bill:
    environment = Environment.model_validate({"name": "try", "region": "us-east-1", **settings})
    return Bill.of(Usage(environment, scenario, ASSUMPTIONS).month(), PRICES)


def amount(bill: Bill, price: str, part: str = "") -> float:
    return sum(item.use.amount for item in bill.items if item.use.price == price and part in (item.use.part, ""))


def test_what_a_price_includes_is_not_paid_and_what_is_over_it_is() -> None:
    prices = {"people": Price(usd=2, per="person", source="", seen="", included=10)}
    bill = Bill.of([Use("a", "", "people", 6), Use("b", "", "people", 9)], prices)
    assert [item.usd for item in bill.items] == [0, 10]
    assert (bill.total, bill.by_part()) == (10, {"a": 0, "b": 10})


def test_what_is_given_for_free_is_taken_off_once_for_each_price() -> None:
    prices = {name: Price(usd=1, per="", source="", seen="", free=5) for name in ("alarms", "metrics")}
    bill = Bill.of([Use("a", "", "alarms", 4), Use("b", "", "alarms", 3), Use("c", "", "metrics", 2)], prices)
    assert (bill.total, bill.total_after_free) == (9, 2)


def test_nobody_asks_and_nothing_changes_in_an_idle_month() -> None:
    idle = month(IDLE)
    asked = {item.use.part for item in idle.items if item.usd}
    assert asked == {
        "maintenance", "polling of empty queues", "metrics", "alarms", "dashboard", "sealing key", "machines",
    }  # fmt: skip


def test_maintenance_is_every_few_minutes_of_a_month_and_a_sweep_a_night() -> None:
    assert amount(month(IDLE), "lambda_requests", "maintenance") == pytest.approx(730 * 6 + 730 / 24)
    assert amount(month(IDLE, commit={"maintain_minutes": 60}), "schedules") == pytest.approx(730 + 730 / 24)


def test_a_query_takes_as_many_requests_to_s3_as_was_measured() -> None:
    calls = 10 * 21 * 20
    starts = 2 * calls * 0.03
    assert amount(month(SMALL), "s3_reads", "search") == pytest.approx(calls * 8 + starts * 150)
    assert amount(month(SMALL), "s3_writes", "search") == pytest.approx(calls * 2)
    assert amount(month(SMALL), "api_requests", "search") == 2 * calls


def test_costs_grow_with_people_documents_and_memory() -> None:
    assert month(IDLE).total < month(SMALL).total < month(LARGE).total
    assert month(LARGE).total < month(LARGE, search={"memory_mb": 4_096}).total
    assert month(SMALL, architecture="x86_64").total > month(SMALL).total


def test_a_snapshot_is_kept_all_month_and_makes_starts_shorter() -> None:
    with_snapshot = month(SMALL, search={"snap_start": True})
    assert amount(with_snapshot, "snapstart_cache") == pytest.approx(1_769 / 1_024 * 730 * 3_600)
    assert amount(with_snapshot, "lambda_arm64", "search") < amount(month(SMALL), "lambda_arm64", "search")


def test_settings_that_switch_something_off_take_its_cost_away() -> None:
    off = month(IDLE, machines=(), alarms={"enabled": False, "dashboard": False})
    assert not {"machines", "alarms", "dashboard"} & {item.use.part for item in off.items if item.usd}


def test_people_of_the_companys_sign_in_are_paid_for_sooner() -> None:
    provider = {"kind": "saml", "name": "Company", "metadata_url": "https://login.example.com/saml"}
    assert month(LARGE).by_part()["people"] == 0
    assert month(LARGE, identity_provider=provider).by_part()["people"] == pytest.approx(950 * 0.015)


def test_the_first_index_costs_by_the_document() -> None:
    once = [
        Bill.of(Usage(DEFAULTS, Scenario(0, documents), ASSUMPTIONS).first_index(), PRICES).total
        for documents in (0, 10_000, 100_000)
    ]
    assert once[0] == 0
    assert once[2] == pytest.approx(10 * once[1], rel=0.01)


def test_what_is_counted_in_the_template_is_counted_there(assembly: Assembly) -> None:
    template = assembly.template("prod")
    assert len(template.ids("AWS::CloudWatch::Alarm")) == ASSUMPTIONS["watching"]["alarms"].value
    assert len(template.ids("AWS::CloudWatch::Dashboard")) == 1
    assert len(template.ids("AWS::SecretsManager::Secret")) == 1


def test_every_price_is_used_and_every_use_has_a_price() -> None:
    provider = {"kind": "saml", "name": "Company", "metadata_url": "https://login.example.com/saml"}
    used = {
        use.price
        for settings in ({"search": {"snap_start": True}}, {"architecture": "x86_64", "identity_provider": provider})
        for item in [month(LARGE, **settings)]
        for use in (each.use for each in item.items)
    }
    assert used == set(PRICES)


def shown(name: str) -> str:
    page = (ROOT / "docs" / "cost.md").read_text("utf-8")
    found = re.search(rf"<!-- {name} -->\n\n(.*?)\n\n<!-- end -->", page, re.DOTALL)
    assert found, name
    return found[1]


def test_the_page_shows_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown("costs") == comparison(DEFAULTS, PRICES, ASSUMPTIONS)
    assert shown("changes") == changes(DEFAULTS, PRICES, ASSUMPTIONS)
    assert shown("prices") == price_table(PRICES)
    assert shown("assumptions") == assumption_table(ASSUMPTIONS)
    assert main([]) == 0
    assert capsys.readouterr().out.strip() == f"{shown('costs')}\n\n{shown('changes')}"


@pytest.mark.parametrize(
    ("arguments", "status", "part"),
    [
        (["--inputs"], 0, "`cognito_machines`"),
        (["prod", "--developers", "10", "--documents", "1000"], 0, "| SnapStart | snapshot |"),
        (["nowhere"], 2, "There is no environment"),
    ],
)
def test_the_command_prints_inputs_and_items(
    arguments: list[str], status: int, part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == status
    assert part in "".join(capsys.readouterr())
