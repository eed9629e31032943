"""Finds tokens that are legal in one artifact and not in another, and the texts before them."""
