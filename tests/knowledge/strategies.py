"""Random consistent knowledge, and whether a graph obeys it."""

import numpy as np

import sparsest as sp


def random_knowledge(p, rng, order=None, density=0.15):
    """Knowledge true of the order of a DAG: forbidden and required edges, sometimes tiers, roots, leaves.

    Required edges go along a random order, or along the given one, and respect whatever else is said.
    """
    order = rng.permutation(p) if order is None else np.asarray(order)
    said = {"forbidden": [], "required": []}
    kinds = rng.random(4) < 0.5
    if kinds[0] and p > 2:
        cuts = np.sort(rng.choice(np.arange(1, p), size=min(2, p - 1), replace=False))
        tiers = [sorted(part.tolist()) for part in np.split(order, cuts)]
        kept = [[k for k in tier if rng.random() < 0.8] for tier in tiers]
        said["tiers"] = [
            {"columns": tier, "edges_within": bool(rng.random() < 0.8)} for tier in kept if len(tier)
        ]
    if kinds[1]:
        said["roots"] = [int(order[0])]
    if kinds[2]:
        said["leaves"] = [int(order[-1])]
    for i in range(p):
        for j in range(p):
            if i != j and rng.random() < density:
                said["forbidden"].append((i, j))
    free = sp.Knowledge(**said).masks([f"x{k}" for k in range(p)]).allowed
    for a in range(p):
        for b in range(a + 1, p):
            edge = int(order[a]), int(order[b])
            if free[edge] and rng.random() < density:
                said["required"].append(edge)
    return sp.Knowledge(**said)


def obeys(graph, masks):
    graph = np.asarray(graph) != 0
    return not (graph & ~masks.allowed).any() and not (masks.required & ~graph).any()
