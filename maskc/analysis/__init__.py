"""What the productions say of terminal sequences: one question a file."""
