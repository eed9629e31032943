"""What does a JSON text need at least, and how is it finished?"""
