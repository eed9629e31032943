"""Engines that really run, one runner each, over one list of scenarios."""
