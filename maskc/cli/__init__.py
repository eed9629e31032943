"""The command line: parses arguments, calls, prints. One command a file; no logic."""
