"""`sparsest app`: the widget as a page on this machine, for people who do not write code.

A server on the loopback interface only, with a token in the address; files never leave the machine.
"""
