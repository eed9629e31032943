"""What requests bring, linked against what is known of a tokenizer: schemas, choices, patterns."""
