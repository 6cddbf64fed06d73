"""Starts the command line: `vaultkeeper …` and `python -m vaultkeeper …`."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command that the arguments name and exits with its code."""
    try:
        from vaultkeeper.cli.main import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # before the command line was ready to say so
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
