"""How few tokens finish the places of a text?"""
