"""From soft weights, or an order, to a DAG: which edges pay for themselves."""
