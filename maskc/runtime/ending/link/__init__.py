"""What does a text that is linked of pieces need at least, and how is it finished?"""
