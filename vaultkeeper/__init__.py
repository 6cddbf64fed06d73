"""vaultkeeper: an Obsidian vault as the single source of truth of a person's and their agents' memory."""

__version__ = "0.1.0"
