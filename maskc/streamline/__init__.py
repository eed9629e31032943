"""Rewrites of the store that change no mask, one a file."""
