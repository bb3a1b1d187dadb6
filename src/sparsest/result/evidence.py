"""How a solver arrived at a graph."""

from __future__ import annotations

from dataclasses import dataclass

from sparsest.problem import Stage


@dataclass(frozen=True)
class Evidence:
    """How the solver arrived at a graph, to judge how far to trust it.

    Attributes
    ----------
    stages : tuple of Stage
        The stages of the optimisation, each with its objective, steps and seconds.
    steps : int
        The number of steps in all.
    solver_objective : float
        The solver's own final objective, on the columns as the solver saw them: for differentiable solvers,
        the likelihood plus the penalty of the weights.
    agreed : int
        How many of the solver's descents ended at the best objective.
    bound : float, optional
        No DAG has a lower objective than this. It equals `Result.objective` where the graph is proved to be
        the best, and is None where nothing was proved.
    h : float
        The acyclicity constraint at the solution.
    violation : float
        The largest entry of the smallest subgradient at the solution.
    standardized : bool
        Whether the solver saw columns of unit variance.
    graph_from : {"search", "score", "threshold"}
        How the DAG was obtained: by a discrete search, or from soft weights by score or by a threshold.
    warnings : tuple of str
        The warnings that were issued.
    same_when_rescaled : bool, optional
        What `fit(check=True)` found; None if no check was requested.
    model_because : str
        Why the model was chosen, where there was a choice.
    penalty_because : str
        Why an edge costs what it does, where that was chosen from a path over costs.
    compile_seconds : float
        How long kernels were compiled, which happens once per machine; not part of `result.seconds`.
    searched_rows : int, optional
        The number of rows that the search saw, where it saw a sample of them; None if it saw all.
    """

    stages: tuple[Stage, ...]
    steps: int
    solver_objective: float
    agreed: int
    h: float
    violation: float
    standardized: bool
    graph_from: str
    warnings: tuple[str, ...] = ()
    same_when_rescaled: bool | None = None
    model_because: str = ""
    penalty_because: str = ""
    compile_seconds: float = 0.0
    bound: float | None = None
    searched_rows: int | None = None
