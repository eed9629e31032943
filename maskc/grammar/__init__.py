"""What a grammar is once its front end is done with it."""
