"""Pieces of several kinds, expressions over them, and the tokens that cross their boundaries."""
