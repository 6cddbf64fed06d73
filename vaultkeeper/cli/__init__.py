"""The command line: parses input, prints, owns exit codes. The only place that knows click."""
