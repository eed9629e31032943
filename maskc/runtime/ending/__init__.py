"""Which tokens leave enough of a budget to finish the text?"""
