"""Pieces of text joined to longer ones: sequence, choice, repetition; masks exact across joints."""
