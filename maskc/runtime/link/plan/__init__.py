"""What was frozen of a link, and the expressions that are made of it."""
