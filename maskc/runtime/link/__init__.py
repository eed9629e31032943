"""Pieces of text joined to longer ones: sequence, choice, repetition; exact where they meet."""
