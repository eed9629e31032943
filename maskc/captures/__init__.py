"""Where do named rules and terminals stand in a text that is being generated?"""
