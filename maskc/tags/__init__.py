"""Structural tags: free text, calls of tools and their arguments, as one request describes them."""
