"""The search function: HTTP events in, MCP answers out; who asks, what they may see, and what the log says of it."""

from docshelf.memory import keep_heap_small

# Before the model and the index are loaded: what that leaves behind would stay for the life of an instance.
keep_heap_small()
