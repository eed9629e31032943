"""Terminals narrowed when a matcher is made: to the tables of this database, say."""
