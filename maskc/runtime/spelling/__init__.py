"""How a tokenizer writes texts: which tokens follow which, and where it cuts."""
