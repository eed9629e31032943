"""Builds the artifacts that a ``maskc.toml`` names, if they are out of date."""
