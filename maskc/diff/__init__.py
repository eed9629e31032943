"""Which tokens are legal in one artifact and not in another, and after which texts?"""
