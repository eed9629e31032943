"""Loops with counts, which are followed and not unrolled."""
