# Sourced by the commands beside it: finds a Python of 3.11 or newer and hands over to bootstrap.py.
# Usage: launch NAME ARGUMENT...

launch() {
    if [ -x "$scripts/../.venv/bin/python" ]; then
        exec "$scripts/../.venv/bin/python" -I -S "$scripts/bootstrap.py" "$@"
    fi
    # Versions that every pinned package has a built wheel for come first.
    for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
        if "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' >/dev/null 2>&1; then
            exec "$candidate" -I "$scripts/bootstrap.py" "$@"
        fi
    done
    if command -v uv >/dev/null 2>&1; then
        exec uv run --no-project --quiet --python '>=3.11,<3.15' python -I "$scripts/bootstrap.py" "$@"
    fi
    if python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
        exec python3 -I "$scripts/bootstrap.py" "$@"
    fi
    echo "docshelf needs Python 3.11 or newer and found none: install it (or uv) and start again." >&2
    exit 2
}
