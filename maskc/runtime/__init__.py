"""Loads artifacts and fills masks; needs numpy, msgpack and the standard library only."""
