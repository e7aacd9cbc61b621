"""Building the layers of the functions: `dependencies`, `docshelf` and `model`. See layers/README.md.

`BuiltLayers` in `infra.layers.built` is the door for whoever uses what was built.
"""
