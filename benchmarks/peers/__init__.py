"""One small file a peer: what to install, which methods it offers, and how to call it.

A peer's file runs in the peer's own Python: it imports numpy, `benchmarks.worker`, its package inside `fit`,
and nothing else.
"""
