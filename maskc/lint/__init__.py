"""What the author of a grammar should know before shipping it: one check a file."""
