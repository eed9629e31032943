"""Bytes to terminals, exactly as Lark's lexers do it."""
