"""The commit lane: the only writer of an index in the cloud."""
