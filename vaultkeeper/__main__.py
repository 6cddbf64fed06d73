"""Starts the command line: `vaultkeeper …` and `python -m vaultkeeper …`."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command that the arguments name and exits with its code."""
    from vaultkeeper.cli.main import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
