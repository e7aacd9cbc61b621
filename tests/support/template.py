"""A synthesized template, with every name that CloudFormation would fill in filled in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

ACCOUNT = "123456789012"

Resource = Mapping[str, Any]

_ARNS = {
    "AWS::S3::Bucket": "arn:aws:s3:::{name}",
    "AWS::SQS::Queue": "arn:aws:sqs:{region}:{account}:{name}",
    "AWS::Logs::LogGroup": "arn:aws:logs:{region}:{account}:log-group:{name}:*",
    "AWS::SecretsManager::Secret": "arn:aws:secretsmanager:{region}:{account}:secret:{name}",
    "AWS::Events::Rule": "arn:aws:events:{region}:{account}:rule/{name}",
    "AWS::IAM::Role": "arn:aws:iam::{account}:role/{name}",
    "AWS::SNS::Topic": "arn:aws:sns:{region}:{account}:{name}",
    "AWS::Lambda::Function": "arn:aws:lambda:{region}:{account}:function:{name}",
}


@dataclass(frozen=True, slots=True)
class Template:
    """The template of one stack. A resource's name is its logical id, or what `names` says.

    `paths` has the path of each resource's construct, by its logical id.
    """

    stack: str
    region: str
    content: Mapping[str, Any]
    metadata: Mapping[str, Any]
    paths: Mapping[str, str]
    names: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, assembly: Path, stack: str) -> Template:
        """The template of `stack` in a cloud assembly."""
        artifact = json.loads((assembly / "manifest.json").read_bytes())["artifacts"][stack]
        region = artifact["environment"].rpartition("/")[2]
        content = json.loads((assembly / f"{stack}.template.json").read_bytes())
        metadata = json.loads((assembly / f"{stack}.metadata.json").read_bytes())
        paths = {
            entry["data"]: path
            for path, entries in metadata.items()
            for entry in entries
            if entry["type"] == "aws:cdk:logicalId"
        }
        return cls(stack, region, content, metadata, paths)

    @property
    def resources(self) -> Mapping[str, Resource]:
        """Every resource by its logical id."""
        return cast("Mapping[str, Resource]", self.content["Resources"])

    def ids(self, kind: str, path: str = "") -> list[str]:
        """The logical ids of the resources of a type, such as `AWS::S3::Bucket`, at or below a construct's path."""
        below = f"/{self.stack}/{path}".rstrip("/")
        return [
            name
            for name, resource in self.resources.items()
            if resource["Type"] == kind and f"{self.paths[name]}/".startswith(f"{below}/")
        ]

    def id(self, kind: str, path: str) -> str:
        """The one logical id that there is."""
        (found,) = self.ids(kind, path)
        return found

    def properties(self, logical_id: str) -> dict[str, Any]:
        """The properties of a resource, resolved."""
        return cast("dict[str, Any]", self.resolve(self.resources[logical_id].get("Properties", {})))

    def one(self, kind: str, path: str) -> dict[str, Any]:
        """The properties, resolved, of the one resource of a type at or below a construct's path."""
        return self.properties(self.id(kind, path))

    def outputs(self) -> dict[str, str]:
        """Every output, resolved."""
        return {name: self.resolve(output["Value"]) for name, output in self.content["Outputs"].items()}

    def resolve(self, value: Any) -> Any:
        """`value` as the deployed stack has it. Raises KeyError for what only AWS knows in another form."""
        if isinstance(value, list):
            return [self.resolve(item) for item in value]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            ((name, argument),) = value.items()
            if name == "Ref":
                return self._reference(argument)
            if name == "Fn::GetAtt":
                return self._attribute(*argument)
            if name == "Fn::Join":
                return argument[0].join(map(str, self.resolve(argument[1])))
            if name == "Fn::Sub":
                return argument.replace("${AWS::AccountId}", ACCOUNT).replace("${AWS::Partition}", "aws")
        return {name: self.resolve(item) for name, item in value.items()}

    def name_of(self, logical_id: str) -> str:
        """What a resource is called."""
        return self.names.get(logical_id, logical_id)

    def arn_of(self, logical_id: str) -> str:
        """The ARN of a resource."""
        pattern = _ARNS[self.resources[logical_id]["Type"]]
        return pattern.format(name=self.name_of(logical_id), region=self.region, account=ACCOUNT)

    def acknowledgements(self) -> Iterator[tuple[str, str, str]]:
        """Path of the construct, finding, and reason of each finding that was accepted."""
        for path, entries in self.metadata.items():
            for entry in entries:
                if entry["type"] == "aws:cdk:acknowledged-rules":
                    for finding, reason in entry["data"].items():
                        yield path.removeprefix("/"), finding, reason

    def _reference(self, name: str) -> str:
        if name.startswith("AWS::"):
            return {"AWS::AccountId": ACCOUNT, "AWS::Region": self.region, "AWS::Partition": "aws"}[name]
        match self.resources[name]["Type"]:
            case "AWS::SQS::Queue":
                return f"https://sqs.{self.region}.amazonaws.com/{ACCOUNT}/{self.name_of(name)}"
            case "AWS::SecretsManager::Secret" | "AWS::SNS::Topic":
                return self.arn_of(name)
            case "AWS::Cognito::UserPoolDomain":
                return str(self.properties(name)["Domain"])
        return self.name_of(name)

    def _attribute(self, name: str, attribute: str) -> str:
        if attribute == "Arn" and self.resources[name]["Type"] in _ARNS:
            return self.arn_of(name)
        if attribute == "ApiEndpoint":
            return f"https://{name.lower()}.execute-api.{self.region}.amazonaws.com"
        if attribute == "ProviderURL":
            return f"https://cognito-idp.{self.region}.amazonaws.com/{name}"
        return f"{self.name_of(name)}.{attribute}"
