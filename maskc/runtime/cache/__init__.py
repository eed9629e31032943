"""Results that can be computed again, kept within one budget of bytes; the pool of masks."""
