"""Discrete search: the same score, minimised over graphs instead of weights."""

from sparsest.search.exact import ExactSearch
from sparsest.search.order import OrderSearch

__all__ = ["ExactSearch", "OrderSearch"]
