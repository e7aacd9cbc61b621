"""Buckets and queues: the only modules that talk to AWS through boto3.

`clients` makes the clients, `objects` and `queues` use them, `faults` turns what goes wrong into our errors.
"""
