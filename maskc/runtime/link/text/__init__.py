"""Free text: up to a trigger, without some words, of so many tokens."""
