"""The search function: HTTP events in, MCP answers out; who asks, what they may see, and what the log says of it."""
