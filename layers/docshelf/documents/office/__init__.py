"""Documents and presentations of Office and OpenDocument."""
