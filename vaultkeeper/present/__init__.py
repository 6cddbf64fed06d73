"""Values to text: answers, lists and JSON."""
