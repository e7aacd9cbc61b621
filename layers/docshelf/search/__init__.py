"""Finding passages: what kind of query it is, candidates from vectors and full text, fusion, passages."""
