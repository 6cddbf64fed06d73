"""What each command prints with `--json`: the shapes that `docs/outputs.md` and `docs/schema/` are made from.

What is dumped as it is stands under its own class, the rest is spelt out here. `tests/cli/test_outputs.py` holds the
real output of every command against it.
"""
