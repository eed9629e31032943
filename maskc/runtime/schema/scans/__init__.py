"""What does a string that is open do to a whole vocabulary?"""
