"""What is decided and what is left open, as the artifact's header and arrays."""
