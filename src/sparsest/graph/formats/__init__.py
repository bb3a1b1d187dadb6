"""Graphs as text that other programs read and write, one file per format.

Every format is a pair of functions: `write_...(graph)` returns text, `parse_...(text)` a `Marked`. Names
that a format cannot hold as they are are escaped, so that what is written is read again unchanged.
"""
