"""A tokenizer's texts as tries, and what walks of a trie have found."""
