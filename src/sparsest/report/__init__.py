"""One page about a result, and the same graph as a widget: what people look at.

The graph is laid out in Python and drawn as SVG; `graph.js`, plain JavaScript without any library, moves,
searches and filters it. Names of columns are text to all of it, never markup.
"""
