"""The strings of a JSON text: automata over characters, and the bytes that spell them."""
