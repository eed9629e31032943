"""Spans of named rules and terminals in a text that is being generated."""
