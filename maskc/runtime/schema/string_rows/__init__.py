"""The rows of what may stand inside an open string or key, and what closes it."""
