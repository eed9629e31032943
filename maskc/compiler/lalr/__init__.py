"""The LALR parser's side of the compiler: what a stack can still take."""
