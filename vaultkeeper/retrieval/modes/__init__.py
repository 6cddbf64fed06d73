"""The modes of `memory_tree`, a module each: parameters and a corpus in, an answer out. None of them writes."""
