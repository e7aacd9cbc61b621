"""The ingest function: from messages about keys to prepared documents."""
