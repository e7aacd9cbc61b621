"""Web pages, and the HTML that other formats are made into."""
