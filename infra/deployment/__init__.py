"""Deploying an environment, and asking one that is deployed whether it works."""
