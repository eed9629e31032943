"""What a command found, as tables for a person; the only place, with ``cli``, that knows rich."""
