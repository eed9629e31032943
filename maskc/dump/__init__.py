"""Every stage's value as text, for those who read or change the compiler.

Each function takes frozen values of a stage and yields
lines. Equal values give equal lines. :mod:`maskc.dump.stages` names the stages.
"""
