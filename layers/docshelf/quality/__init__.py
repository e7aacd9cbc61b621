"""How good the text is that was read from a document: measured when it is read, stored with it, shown to people.

`record` is what is stored and said; `measure` looks at a document. Nothing here needs a dictionary or a model.
"""
