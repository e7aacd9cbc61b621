"""Markdown, reStructuredText and AsciiDoc."""
