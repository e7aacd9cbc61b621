"""Who is asking, and what they may see: bearer tokens of a user pool, and groups that open collections.

Nothing here needs the index, the model or the MCP library, so a function that only signs people in stays light.
"""
