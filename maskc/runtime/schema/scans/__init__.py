"""Scans: moves an open string by a whole vocabulary."""
