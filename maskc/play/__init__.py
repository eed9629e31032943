"""A page on this machine in which a grammar can be tried: what is legal next, and why not."""
