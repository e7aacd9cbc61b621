"""docshelf over a folder, in one process: follow the folder, keep the index equal to it, serve it."""
