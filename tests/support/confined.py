"""Runs a command without root's right to write where permissions forbid it: `python confined.py COMMAND ARGUMENT …`.

Whoever is not root has no such right, and the command is run as it is. Linux only.
"""

from __future__ import annotations

import ctypes
import os
import sys

_DROP_FROM_BOUNDS = 24  # PR_CAPBSET_DROP
_OVERRIDE_PERMISSIONS = 1  # CAP_DAC_OVERRIDE


def main(command: list[str]) -> None:
    """Become the command; raises OSError where the right cannot be given up."""
    if os.geteuid() == 0:
        library = ctypes.CDLL(None, use_errno=True)
        # What root may do after the exec below is what the bounds allow.
        if library.prctl(_DROP_FROM_BOUNDS, _OVERRIDE_PERMISSIONS, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "the right to override permissions cannot be given up")
    os.execv(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
