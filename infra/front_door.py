"""The one address of an environment: an HTTP API in front of the search and the sign-in function."""

from __future__ import annotations

import json
from collections.abc import Sequence

import aws_cdk as cdk
from aws_cdk import aws_apigatewayv2 as apigatewayv2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from docshelf.access.challenge import challenge
from docshelf.errors import MissingTokenError
from docshelf.setting_values import MCP_PATH
from docshelf.signin.metadata import AUTHORIZE_PATH, REGISTER_PATH, WELL_KNOWN
from infra.acknowledgements import acknowledge
from infra.custom_domain import CustomDomain
from infra.log_groups import log_group
from infra.settings import Environment
from infra.user_pool import SCOPE_NAME

INTEGRATION_MILLISECONDS = 29_500
"""More than the functions' own 29 seconds, so that it is they who give up, and less than API Gateway's 30."""

# API Gateway takes no route that ends with a slash. Whether `/mcp` covers `/mcp/` is said in both ways: the greedy
# route makes sure, and what else comes by it the search function answers as it does any unknown path.
_SEARCH_ROUTES = (f"ANY {MCP_PATH}", f"ANY {MCP_PATH}/{{proxy+}}", "ANY /healthz")
_THROTTLED_ROUTES = (f"POST {REGISTER_PATH}", f"ANY {AUTHORIZE_PATH}")
_SIGNIN_ROUTES = (*_THROTTLED_ROUTES, "$default")

_NO_AUTHORIZER = (
    "The functions check tokens themselves: a client must be able to ask without one, since the answer and the "
    "metadata tell it where to sign in; an authorizer of API Gateway would refuse it without saying where."
)

# The route and not the path, the API's own words and no query: nothing in the log was written by a caller.
_ACCESS_LOG = {
    "requestId": "$context.requestId",
    "time": "$context.requestTime",
    "method": "$context.httpMethod",
    "route": "$context.routeKey",
    "status": "$context.status",
    "latency": "$context.responseLatency",
    "integrationLatency": "$context.integrationLatency",
    "integrationStatus": "$context.integrationStatus",
    "integrationError": "$context.integrationErrorMessage",
    "error": "$context.error.responseType",
    "responseLength": "$context.responseLength",
}


class FrontDoor(Construct):
    """The HTTP API. It is made before the functions, which must know its address, and they are put behind it later.

    `url` is the address of the MCP endpoint, `origin` that of the host.
    """

    def __init__(self, scope: Construct, construct_id: str, *, environment: Environment) -> None:
        super().__init__(scope, construct_id)
        self._environment = environment
        domain = environment.domain
        self.api = apigatewayv2.HttpApi(
            self,
            "Api",
            api_name=environment.stack_name,
            description=f"docshelf {environment.name}: MCP endpoint and sign-in",
            create_default_stage=False,
            disable_execute_api_endpoint=domain is not None,
        )
        self.origin = f"https://{domain.name}" if domain else self.api.api_endpoint
        self.url = f"{self.origin}{MCP_PATH}"

    def serve(self, *, search: lambda_.IFunction, signin: lambda_.IFunction) -> None:
        """Put the functions, or aliases of them, behind the API: all but `/mcp` and `/healthz` is for `signin`."""
        to_search = self._integration("Search", search)
        to_signin = self._integration("Signin", signin)
        if self._environment.api.restore_challenge:
            # Untested: API Gateway may refuse a mapping of this header, and with it the deployment.
            to_search.response_parameters = self._challenge_mapping()
        routes = [
            *(self._route(key, to_search) for key in _SEARCH_ROUTES),
            *(self._route(key, to_signin) for key in _SIGNIN_ROUTES),
        ]
        stage = self._stage(routes)
        if self._environment.domain:
            CustomDomain(self, "Domain", domain=self._environment.domain, api=self.api, stage=stage)

    def _integration(self, name: str, function: lambda_.IFunction) -> apigatewayv2.CfnIntegration:
        function.add_permission(
            f"{name}Permission",
            scope=self,
            principal=iam.ServicePrincipal("apigateway.amazonaws.com"),
            # With any path behind the API: the `$default` route has none, and would not fit a longer pattern.
            source_arn=cdk.Stack.of(self).format_arn(
                service="execute-api", resource=self.api.api_id, resource_name="*"
            ),
        )
        return apigatewayv2.CfnIntegration(
            self,
            name,
            api_id=self.api.api_id,
            integration_type="AWS_PROXY",
            integration_uri=function.function_arn,
            payload_format_version="2.0",
            timeout_in_millis=INTEGRATION_MILLISECONDS,
        )

    def _challenge_mapping(self) -> dict[str, object]:
        metadata = f"{self.origin}{WELL_KNOWN}oauth-protected-resource{MCP_PATH}"
        value = challenge(MissingTokenError(""), resource_metadata=metadata, scope=SCOPE_NAME)
        mapping = {"Destination": "overwrite:header.WWW-Authenticate", "Source": value}
        return {"401": {"ResponseParameters": [mapping]}}

    def _route(self, key: str, integration: apigatewayv2.CfnIntegration) -> apigatewayv2.CfnRoute:
        route = apigatewayv2.CfnRoute(
            self,
            f"Route {key}".replace("/", "|"),
            api_id=self.api.api_id,
            route_key=key,
            authorization_type="NONE",
            target=f"integrations/{integration.ref}",
        )
        acknowledge(route, {"AwsSolutions-APIG4": _NO_AUTHORIZER})
        return route

    def _stage(self, routes: Sequence[apigatewayv2.CfnRoute]) -> apigatewayv2.CfnStage:
        limits = self._environment.api
        log = log_group(self, "Log", self._environment)
        stage = apigatewayv2.CfnStage(
            self,
            "Stage",
            api_id=self.api.api_id,
            stage_name="$default",
            auto_deploy=True,
            access_log_settings=apigatewayv2.CfnStage.AccessLogSettingsProperty(
                destination_arn=log.log_group_arn, format=json.dumps(_ACCESS_LOG)
            ),
            default_route_settings=apigatewayv2.CfnStage.RouteSettingsProperty(
                throttling_rate_limit=limits.rate, throttling_burst_limit=limits.burst, detailed_metrics_enabled=True
            ),
            # This property is passed on as it is, with the names that CloudFormation has for them.
            route_settings={
                key: {
                    "ThrottlingRateLimit": limits.signin_rate,
                    "ThrottlingBurstLimit": limits.signin_burst,
                    "DetailedMetricsEnabled": True,
                }
                for key in _THROTTLED_ROUTES
            },
        )
        # A stage with settings of a route that is not there yet is refused.
        stage.node.add_dependency(*routes)
        return stage
