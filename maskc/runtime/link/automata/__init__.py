"""Regular pieces: automata made when needed, and what they read of a vocabulary."""
