"""What may come next behind a text, and why: the masks in the words of the grammar."""
