"""The answer to a question: primitives, fusion, citations."""
