"""Which terminal sequences are legal: the stacks that take them, by the papers' methods."""
