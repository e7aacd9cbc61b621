"""What must be so before anything is built or deployed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from docshelf.embedding.profiles import PROFILES
from infra.deployment.aws import Account, Identity, Stack
from infra.deployment.cdk import Cdk, installed_cdk
from infra.deployment.node import node_version
from infra.deployment.report import Check, Outcome, looked_at
from infra.errors import InfrastructureError
from infra.settings import Environment

LEAST_BOOTSTRAP = 6
"""The version of CDK's bootstrap from which its present way to deploy works."""

BOOTSTRAP = "bootstrap"
_BUSY = "_IN_PROGRESS"
_NOT_BEGUN = "REVIEW_IN_PROGRESS"
_NEVER_MADE = ("ROLLBACK_COMPLETE", "ROLLBACK_FAILED")
_STUCK = "UPDATE_ROLLBACK_FAILED"
_UNDELETED = "DELETE_FAILED"


class CheckError(InfrastructureError):
    """Something is not as it must be; the message says what to do."""


@dataclass(slots=True)
class Preparations:
    """What the checks found on the way, for what comes after them."""

    environment: Environment
    account: Account
    destroying: bool = False
    cdk: Cdk | None = None
    identity: Identity | None = None
    checks: list[Check] = field(default_factory=list)

    @property
    def command(self) -> str:
        """The command that was given, as far as it names the environment."""
        return f"./scripts/deploy {self.environment.name}"

    @property
    def missing(self) -> list[str]:
        """The checks that did not come out well."""
        return [check.name for check in self.checks if not check.well]

    @property
    def bootstrap_arguments(self) -> list[str]:
        """The arguments for CDK that prepare account and region; for when the credentials are known."""
        assert self.identity is not None
        return ["bootstrap", f"aws://{self.identity.account}/{self.environment.region}"]


Step = tuple[str, str | None, Callable[[], str]]
"""A check's name, the check that it needs, and how it is made."""


def steps(found: Preparations) -> list[Step]:
    """The checks of an environment, in their order."""
    made: list[Step] = [
        ("settings", None, lambda: _settings(found.environment)),
        ("Node", None, node_version),
        ("CDK", "Node", lambda: _cdk(found)),
        ("credentials", None, lambda: _credentials(found)),
        ("account", "credentials", lambda: _account(found)),
        (BOOTSTRAP, "account", lambda: _bootstrap(found)),
        ("stack", "account", lambda: _stack(found)),
    ]
    if found.environment.domain is not None:
        made.append(("certificate", "account", lambda: _certificate(found)))
    return made


def look(found: Preparations, tell: Callable[[Check], None]) -> bool:
    """Make all checks, each told when it was made; whether all is well.

    What depends on something that failed is not looked at and says so.
    """
    found.checks.clear()
    for name, needed, step in steps(found):
        if needed is not None and needed in found.missing:
            check = Check(name, Outcome.SKIPPED, f"not looked at: {needed} comes first")
        else:
            check = looked_at(name, step)
        found.checks.append(check)
        tell(check)
    return not found.missing


def _settings(environment: Environment) -> str:
    model = PROFILES[environment.model]
    return f"infra/environments/{environment.name}.toml: {environment.region}, {environment.architecture}, {model.name}"


def _cdk(found: Preparations) -> str:
    found.cdk = found.cdk or installed_cdk()
    return found.cdk.version()


def _credentials(found: Preparations) -> str:
    found.identity = found.account.identity()
    return found.identity.arn


def _account(found: Preparations) -> str:
    assert found.identity is not None
    wanted, actual = found.environment.account, found.identity.account
    if wanted is not None and wanted != actual:
        raise CheckError(
            f"These are credentials of the account {actual}, and {found.environment.name} belongs into {wanted}: take "
            "other credentials (AWS_PROFILE), or change account in the environment's file."
        )
    return actual if wanted is not None else f"{actual} (any; set account in the environment's file to pin it)"


def _bootstrap(found: Preparations) -> str:
    version = found.account.bootstrap_version()
    if version is None or version < LEAST_BOOTSTRAP:
        what = "never was" if version is None else f"is at version {version}, and {LEAST_BOOTSTRAP} is needed"
        raise CheckError(
            f"CDK's bootstrap of this account in {found.environment.region} {what}: run {found.command} --bootstrap, "
            "which makes a bucket and roles for deployments there (stack CDKToolkit)."
        )
    return f"version {version}"


def _stack(found: Preparations) -> str:
    stack = found.account.stack(found.environment.stack_name)
    if stack is None:
        return "not there yet"
    if stack.status == _NOT_BEGUN:
        return f"not there yet; a deployment was given up before it began ({stack.status})"
    if stack.status.endswith(_BUSY):
        raise CheckError(
            f"{stack.name} is being changed by somebody else ({stack.status}): wait until that has ended. Its events "
            "are on the page of CloudFormation."
        )
    wrong = None if found.destroying else _wrong_with(stack, found)
    if wrong is not None:
        raise CheckError(wrong)
    return stack.status


def _wrong_with(stack: Stack, found: Preparations) -> str | None:
    """What keeps a stack that nobody is changing from being deployed."""
    named = f"--stack-name {stack.name} --region {found.environment.region}"
    if stack.status == _STUCK:
        return (
            f"The last deployment of {stack.name} failed, and so did taking it back ({stack.status}): see its events, "
            f"then run aws cloudformation continue-update-rollback {named}."
        )
    if stack.status in _NEVER_MADE and stack.guarded:
        return (
            f"The first deployment of {stack.name} failed ({stack.status}), and what is left is guarded against "
            "deletion, so that it cannot be made anew: see its events for the cause, then run aws cloudformation "
            f"update-termination-protection --no-enable-termination-protection {named}. Buckets, user pool, secret and "
            "logs of the first attempt stay; delete them by hand."
        )
    if stack.status == _UNDELETED:
        return (
            f"{stack.name} could not be deleted as a whole: see its events for what was left, remove that, and run "
            f"{found.command} --destroy."
        )
    return None


def _certificate(found: Preparations) -> str:
    domain = found.environment.domain
    assert domain is not None
    certificate = found.account.certificate(domain.certificate_arn)
    if certificate is None:
        raise CheckError("There is no certificate of that ARN in this account: correct domain.certificate_arn.")
    if certificate.status != "ISSUED":
        raise CheckError(
            f"The certificate of {domain.name} is not issued ({certificate.status}): finish its validation by the DNS "
            "record that ACM shows, and wait until its status is ISSUED."
        )
    if not certificate.covers(domain.name):
        raise CheckError(
            f"The certificate is for {', '.join(certificate.names)}, not for {domain.name}: request another one."
        )
    return f"{domain.name}, issued"
