"""Makes of a tokenizer's file what the runtime needs to know of how it writes texts."""
