"""PDF: characters by their places, lines, tables, forms, outline."""
