"""E-books."""
