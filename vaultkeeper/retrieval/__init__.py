"""Small deterministic read primitives over the index; none of them writes."""
