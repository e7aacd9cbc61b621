"""A name of your own for the front door."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_apigatewayv2 as apigatewayv2
from aws_cdk import aws_certificatemanager as certificatemanager
from aws_cdk import aws_route53 as route53
from aws_cdk import aws_route53_targets as targets
from constructs import Construct

from infra.outputs import add_outputs
from infra.settings.parts import Domain

TARGET_OUTPUT = "DomainTarget"
"""The output that says where the name must point to, where the deployment does not make the record itself."""


class CustomDomain(Construct):
    """The name, what it serves, and its record where the hosted zone is known."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        domain: Domain,
        api: apigatewayv2.HttpApi,
        stage: apigatewayv2.CfnStage,
    ) -> None:
        super().__init__(scope, construct_id)
        name = apigatewayv2.DomainName(
            self,
            "Name",
            domain_name=domain.name,
            certificate=certificatemanager.Certificate.from_certificate_arn(
                self, "Certificate", domain.certificate_arn
            ),
            endpoint_type=apigatewayv2.EndpointType.REGIONAL,
            security_policy=apigatewayv2.SecurityPolicy.TLS_1_2,
        )
        mapping = apigatewayv2.CfnApiMapping(
            self, "Mapping", api_id=api.api_id, domain_name=name.name, stage=stage.stage_name
        )
        mapping.node.add_dependency(stage)
        if domain.hosted_zone_id and domain.hosted_zone_name:
            self._record(domain.name, domain.hosted_zone_id, domain.hosted_zone_name, name)
        else:
            add_outputs(cdk.Stack.of(self), {TARGET_OUTPUT: name.regional_domain_name})

    def _record(self, host: str, zone_id: str, zone_name: str, name: apigatewayv2.DomainName) -> None:
        route53.ARecord(
            self,
            "Record",
            # With the dot it is the whole name, which nothing is added to.
            record_name=f"{host}.",
            zone=route53.HostedZone.from_hosted_zone_attributes(
                self, "Zone", hosted_zone_id=zone_id, zone_name=zone_name
            ),
            target=route53.RecordTarget.from_alias(
                targets.ApiGatewayv2DomainProperties(name.regional_domain_name, name.regional_hosted_zone_id)
            ),
        )
