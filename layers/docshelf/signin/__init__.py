"""Signing people in: an OAuth authorization server in front of a user pool, which keeps nothing.

Nothing here needs the index, the model or the MCP library, so that the function that signs people in starts at once.
"""
