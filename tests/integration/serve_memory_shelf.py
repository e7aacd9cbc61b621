"""A process that serves the shelf in memory and prints its address; the argument is the port."""

from __future__ import annotations

import sys

from docshelf.mcp_server.server import listen, serve
from tests.support.memory_shelf import company_shelf


def main() -> None:
    serve(company_shelf, listen(int(sys.argv[1])), on_started=lambda url: print(url, flush=True))
    print("ended", flush=True)


if __name__ == "__main__":
    main()
