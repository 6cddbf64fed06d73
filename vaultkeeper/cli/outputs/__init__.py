"""What each command prints with `--json`: the shapes that `docs/outputs.md` and `docs/schema/` are made from.

Only describes, and is imported by nothing that runs: what is dumped as it is stands under its own class, the rest is
spelt out here. `tests/cli/test_outputs.py` holds the real output of every command against it.
"""
