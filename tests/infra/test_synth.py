"""What `cdk synth` says of every environment, and rules that hold for whole stacks."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cfnlint.schema import PROVIDER_SCHEMA_MANAGER  # type: ignore[import-untyped]

from infra.deployment.outputs import Outputs
from infra.settings import Environment
from tests.support.assembly import NAMES, Assembly
from tests.support.synthesis import run_app
from tests.support.template import Resource, Template

WITHOUT_ACKNOWLEDGEMENTS = """
import sys
import aws_cdk
aws_cdk.Validations.acknowledge = lambda validations, *acknowledgements: None
from infra.app import main
sys.exit(main())
"""

# W3005: a dependency that a reference already makes. The CDK writes such ones, and they do no harm.
CFN_LINT = [str(Path(sys.executable).with_name("cfn-lint")), "--ignore-checks", "W3005", "--format", "parseable"]


def test_every_environment_is_synthesized_without_an_account_or_a_complaint(assembly: Assembly) -> None:
    assert assembly.status == 0, assembly.said
    said = [line for line in assembly.said.splitlines() if not line.startswith(("Successfully", "Supply a stack id"))]
    assert said == []
    stacks = {path.name.removesuffix(".template.json") for path in assembly.directory.glob("*.template.json")}
    assert stacks == {f"docshelf-{name}" for name in NAMES}


def test_cdk_nag_finds_nothing(assembly: Assembly) -> None:
    report = json.loads((assembly.directory / "validation-report.json").read_bytes())
    assert report["pluginReports"] == []


def test_every_acknowledged_finding_is_there_and_has_its_own_reason(assembly: Assembly, tmp_path: Path) -> None:
    context = {"environments": assembly.environments, "layers": assembly.layers}
    done = run_app(tmp_path / "out", context, program=["-c", WITHOUT_ACKNOWLEDGEMENTS])
    assert done.returncode == 1, "without acknowledgements there are findings"
    assert "Traceback" not in done.stderr
    assert done.stderr.endswith("mend what they name, and start again.\n")
    found = set(_findings(tmp_path / "out"))
    assert {path.partition("/")[0] for path, _ in found} == {f"docshelf-{name}" for name in NAMES}
    accepted = [entry for name in NAMES for entry in assembly.template(name).acknowledgements()]
    for path, accepted_finding, reason in accepted:
        finding = accepted_finding.removeprefix("Annotation::")
        assert [one for one in found if f"{one[0]}/".startswith(f"{path}/") and one[1] == finding], (path, finding)
        assert len(reason) > 20
    assert accepted


def test_cfn_lint_finds_nothing(assembly: Assembly) -> None:
    for name in NAMES:
        template = assembly.directory / f"docshelf-{name}.template.json"
        command = [*CFN_LINT, "--regions", assembly.environment(name).region, "--", str(template)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_environments_of_one_account_and_region_have_no_name_in_common(
    template: Template, environment: Environment
) -> None:
    chosen = environment.domain.name if environment.domain else template.stack
    for logical_id, resource in template.resources.items():
        given = _identifiers(template, resource)
        # What refers to a resource of the stack is as unique as that is.
        own = [one for one in given if _names(one, [template.stack, chosen, *template.resources])]
        assert own or not given, f"{logical_id} would be called {given} in every environment"


def test_the_stack_is_named_tagged_and_guarded_as_its_environment_says(
    assembly: Assembly, template: Template, environment: Environment
) -> None:
    artifact = json.loads((assembly.directory / "manifest.json").read_bytes())["artifacts"][template.stack]
    properties = artifact["properties"]
    assert properties["tags"] == {"docshelf:environment": environment.name}
    assert properties.get("terminationProtection", False) is environment.retain_data
    assert artifact["environment"] == f"aws://{environment.account or 'unknown-account'}/{environment.region}"
    assert environment.name in template.content["Description"]
    assert "AWS::CDK::Metadata" not in {resource["Type"] for resource in template.resources.values()}


def test_nothing_outlives_a_stack_whose_data_are_not_retained(template: Template, environment: Environment) -> None:
    policies = {
        name: {resource.get("DeletionPolicy", "Delete"), resource.get("UpdateReplacePolicy", "Delete")}
        for name, resource in template.resources.items()
    }
    kept = {name for name, policy in policies.items() if policy != {"Delete"}}
    assert bool(kept) is environment.retain_data, kept


def test_the_outputs_are_what_a_deployment_reads(template: Template, environment: Environment) -> None:
    outputs = Outputs.of(template.stack, template.outputs())
    assert set(outputs.machines) == set(environment.machines)
    assert (outputs.alarm_topic_arn is not None) is environment.alarms.enabled
    assert template.outputs()["Region"] == environment.region
    for name, queue in (
        ("IngestQueueUrl", "Ingest"),
        ("IngestDeadLettersUrl", "IngestDeadLetters"),
        ("CommitQueueUrl", "Commit"),
    ):
        assert template.outputs()[name] == template.resolve({"Ref": template.id("AWS::SQS::Queue", f"Queues/{queue}")})


@pytest.mark.parametrize("text", ["SecretString", "ClientSecret", "BEGIN PRIVATE KEY"])
def test_no_template_has_a_secret_s_text(template: Template, text: str) -> None:
    functions = [template.properties(one) for one in template.ids("AWS::Lambda::Function")]
    assert text not in json.dumps(functions)


def _findings(assembly: Path) -> Iterator[tuple[str, str]]:
    """Path of the construct and name of each finding in a report."""
    report = json.loads((assembly / "validation-report.json").read_bytes())
    for plugin in report["pluginReports"]:
        for violation in plugin["violations"]:
            for construct in violation["violatingConstructs"]:
                yield construct["constructPath"], violation["ruleName"].removeprefix("Annotation::")


def _names(value: object, parts: list[str]) -> bool:
    return any(part in json.dumps(value) for part in parts)


def _identifiers(template: Template, resource: Resource) -> list[object]:
    """What the template itself gives of a resource's identity; the rest is made up when it is deployed."""
    kind = resource["Type"]
    if kind.startswith("Custom::"):
        return []
    schema = PROVIDER_SCHEMA_MANAGER.get_resource_schema(template.region, kind).schema
    names = [pointer.rsplit("/", 1)[-1] for pointer in schema["primaryIdentifier"]]
    return [resource["Properties"][name] for name in names if name in resource.get("Properties", {})]
