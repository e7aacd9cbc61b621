"""Plain text, code, data formats that are text, and their encodings."""
