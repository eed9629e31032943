"""JSON numbers: which values a rule allows, and which spellings can still become one."""
