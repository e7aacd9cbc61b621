"""The CDK app: one stack per environment, a construct per capability."""
