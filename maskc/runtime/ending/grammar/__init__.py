"""What does a text of an LALR grammar need at least?"""
