"""What may come next after a text, and why: the masks in the words of the grammar."""
