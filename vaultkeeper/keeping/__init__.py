"""Verbs that write notes from what the index knows: what `keeper` hands over to.

Owns the meeting of `index` and `memory` or `importers`, which do not know each other.
"""
