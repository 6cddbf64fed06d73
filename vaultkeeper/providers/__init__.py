"""Embedders behind `ports.Embedder`, all offline."""
