"""HTTP as API Gateway brings it to a function: events in, answers out, and an ASGI application in between.

Needs nothing but the standard library, so that a function that answers by itself starts without more.
"""
