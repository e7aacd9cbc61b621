"""What policies allow, as IAM decides it for one role: denied unless a statement allows it and none denies it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.support.template import Template

Statement = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Rights:
    """The statements of a role's policies, with every name filled in."""

    statements: Sequence[Statement]

    @classmethod
    def of_role(cls, template: Template, role: str) -> Rights:
        """Those of the role with this logical id, wherever the template has them."""
        policies = list(template.properties(role).get("Policies", ()))
        for kind in ("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy", "AWS::IAM::RolePolicy"):
            for other in template.ids(kind):
                properties = template.properties(other)
                if template.name_of(role) in (*properties.get("Roles", ()), properties.get("RoleName")):
                    policies.append(properties)
        assert not template.properties(role).get("ManagedPolicyArns"), "its statements are not in the template"
        return cls([one for policy in policies for one in _several(policy["PolicyDocument"]["Statement"])])

    def allows(self, action: str, resource: str, **context: str) -> bool:
        """Whether `action` on the ARN `resource` is allowed. `context` has condition keys, with `__` for the colon."""
        keys = {name.replace("__", ":"): value for name, value in context.items()}
        effects = {one["Effect"] for one in self.statements if _applies(one, action, resource, keys)}
        return effects == {"Allow"}

    def unused(self, used: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
        """The actions and resources, as they are written, that none of the `used` ones needed."""
        needed = list(used)
        return {
            (action, resource)
            for one in self._allowing()
            for action in _several(one["Action"])
            for resource in _several(one["Resource"])
            if not any(_like(action, asked) and _like(resource, place) for asked, place in needed)
        }

    def actions(self) -> list[str]:
        """Every action that a statement allows, as it is written."""
        return [action for one in self._allowing() for action in _several(one["Action"])]

    def resources(self) -> list[str]:
        """Every resource that a statement allows something on, as it is written."""
        return [resource for one in self._allowing() for resource in _several(one["Resource"])]

    def _allowing(self) -> Iterable[Statement]:
        for one in self.statements:
            assert not {"NotAction", "NotResource"} & one.keys()
            if one["Effect"] == "Allow":
                yield one


def _applies(statement: Statement, action: str, resource: str, keys: Mapping[str, str]) -> bool:
    return (
        any(_like(pattern.lower(), action.lower()) for pattern in _several(statement["Action"]))
        and any(_like(pattern, resource) for pattern in _several(statement["Resource"]))
        and _holds(statement.get("Condition", {}), keys)
    )


def _holds(condition: Mapping[str, Mapping[str, Any]], keys: Mapping[str, str]) -> bool:
    for operator, wanted in condition.items():
        assert operator in ("StringEquals", "StringLikeIfExists"), f"the condition {operator} is not known here"
        for key, patterns in wanted.items():
            if key not in keys:
                if operator == "StringEquals":
                    return False
                continue
            alike = _like if operator == "StringLikeIfExists" else str.__eq__
            if not any(alike(pattern, keys[key]) for pattern in _several(patterns)):
                return False
    return True


def _like(pattern: str, text: str) -> bool:
    """As IAM matches: `*` any characters, `?` one."""
    parts = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    return re.fullmatch(parts, text, re.DOTALL) is not None


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
