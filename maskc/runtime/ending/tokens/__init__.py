"""How are texts written in the tokens of a vocabulary?"""
