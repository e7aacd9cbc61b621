"""Serves a shelf over MCP: the four tools, their texts, the HTTP application and the local server.

`shelf` says what the tools need from the index; nothing here imports the index, the model or a parser.
"""
