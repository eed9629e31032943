"""Which artifacts does a team want, and which of them are out of date?"""
