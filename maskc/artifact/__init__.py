"""The compiled file: what it holds, and its bytes. Where compiler and runtime meet."""
