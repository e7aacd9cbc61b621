"""The commands of `scripts/`: arguments in, one call, an exit status out."""
