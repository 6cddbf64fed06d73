"""Files of the vault: parse, scan, guarded write. The truth; everything else is derived from it."""
