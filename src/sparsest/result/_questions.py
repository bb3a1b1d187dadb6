"""Methods of a result that ask what follows from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsest._core.arithmetic import usual_arithmetic
from sparsest._core.errors import OptionError
from sparsest.fitted.base import Fitted

if TYPE_CHECKING:
    import polars

    from sparsest.effects import Effect
    from sparsest.explain import PairExplanation, Sortability

Array = NDArray[np.float64]


class Questions:
    """Pairs, effects, predictions and samples."""

    fitted: Fitted | None

    @usual_arithmetic
    def explain(self, a: str | int, b: str | int) -> PairExplanation:
        """Why two columns are joined by an edge, or are not, and what decides its direction.

        Only for Gaussian models.

        Parameters
        ----------
        a, b : str or int
            The two columns, by name or by position.

        Returns
        -------
        PairExplanation
            Prints as text; its fields hold the numbers.

        Examples
        --------
        >>> import numpy as np
        >>> import sparsest as sp
        >>> x = np.random.default_rng(0).normal(size=(300, 2))
        >>> result = sp.fit(np.column_stack([x[:, 0], x.sum(axis=1)]))
        >>> explanation = result.explain("x0", "x1")
        >>> explanation.edge
        'x0 -- x1'
        >>> print(explanation)
        x0 and x1: an edge whose direction is open (the DAG shows x0 -> x1)
        ...
        """
        from sparsest.explain import explain

        return explain(self, a, b)  # type: ignore[arg-type]

    @usual_arithmetic
    def effect(
        self,
        cause: str | int | Sequence[str | int],
        outcome: str | int,
        *,
        interval: str | None = "auto",
        level: float = 0.95,
        change: Any = None,
        category: Any = None,
    ) -> Effect:
        """What happens to one column if others are changed, over all graphs that explain the data.

        Parameters
        ----------
        cause : str, int or list of them
            The column that is changed, by name or position; several for a joint intervention.
        outcome : str or int
            The column that responds.
        interval : {"auto", "resampled", "split", "naive"}, optional
            What the interval accounts for: "resampled" the choice of the graph, by way of the resamples of
            ``fit(resamples=...)`` or of 50 that are learned now; "split" learns from half of the rows and
            estimates on the other; "naive" takes the graph for granted. "auto" is "resampled" where the
            result has resamples or is small (up to 15 columns in linear models, up to 8 columns and 5000 rows
            in others), otherwise "naive"; `effect.how` and the text say which. None for no interval.
        level : float
            The coverage of the interval.
        change : pair, optional
            The values that the cause is changed from and to; with several causes, one pair each. By default
            effects of linear models are per unit, as are those of continuous causes in others, averaged over
            one standard deviation around the mean; a discrete cause is changed from its first to its last
            value.
        category : str, optional
            For a categorical outcome, the category whose probability is meant.

        Returns
        -------
        Effect
            Prints as text; `values`, `shares`, `bounds`, `identified`, `interval` and `adjustment_set` hold
            the answer.

        Examples
        --------
        >>> import numpy as np
        >>> import sparsest as sp
        >>> rng = np.random.default_rng(1)
        >>> a = rng.normal(size=500)
        >>> b = 0.8 * a + rng.normal(size=500)
        >>> result = sp.fit(np.column_stack([a, b]))
        >>> print(result.effect("x0", "x1"))
        raising x0 by 1 raises x1 by ... at most, or not at all
        2 graphs explain the data equally well:
        ...
        """
        from sparsest.effects.estimating import effect

        return effect(self, cause, outcome, interval=interval, level=level, change=change, category=category)  # type: ignore[arg-type]

    @usual_arithmetic
    def effects(self, interval: str | None = None, level: float = 0.95) -> polars.DataFrame:
        """The effects of all columns on each other, as a table.

        Parameters
        ----------
        interval : {"auto", "resampled", "split", "naive"}, optional
            As for `effect`; None, the default, for no intervals.
        level : float
            The coverage of the intervals.

        Returns
        -------
        polars.DataFrame
            One row per cause and outcome with a directed path between them in some graph, strongest first:
            `cause`, `outcome`, `low` and `high` (the bounds), `identified`, `values` (how many), and where
            columns have units `low_per_sd` and `high_per_sd`; `change`, what is done to the cause; with
            intervals `interval_low`, `interval_high`.

        Examples
        --------
        >>> import numpy as np
        >>> import sparsest as sp
        >>> rng = np.random.default_rng(0)
        >>> rain, sprinkler = rng.normal(size=(2, 500))
        >>> wet = rain + sprinkler + 0.5 * rng.normal(size=500)
        >>> table = sp.fit(np.column_stack([rain, sprinkler, wet])).effects()
        >>> table.select("outcome", "identified").rows()
        [('x2', True), ('x2', True)]
        """
        from sparsest.effects.all_pairs import effects

        return effects(self, interval, level)  # type: ignore[arg-type]

    def sortability(self) -> Sortability:
        """Varsortability and R²-sortability: how far variances alone would reveal the learned order.

        Returns
        -------
        Sortability
            Prints as text; its fields are shares between 0 and 1.

        Examples
        --------
        >>> import numpy as np
        >>> import sparsest as sp
        >>> x = np.random.default_rng(0).normal(size=(300, 2))
        >>> sp.fit(np.column_stack([x[:, 0], x.sum(axis=1)])).sortability().variance
        1.0
        """
        from sparsest.explain import sortability

        return sortability(self)  # type: ignore[arg-type]

    @usual_arithmetic
    def predict(self, rows: Any) -> dict[str, Array]:
        """The conditional mean of every column given its parents in `result.dag`.

        Other members of the class have other parents, and predict from those as well. These are predictions
        for rows that came about as the table did, not for interventions: see `effect`.

        Parameters
        ----------
        rows : array, data frame or path
            New rows with all columns of the model. Data frames are matched by name and may have further
            columns; arrays are matched by position.

        Returns
        -------
        dict of str to array
            By column, one conditional mean per row; for a categorical column the probabilities of its
            categories, (n, levels), and for ``model="rank"`` conditional medians.

        Examples
        --------
        >>> import numpy as np
        >>> import sparsest as sp
        >>> x = np.random.default_rng(0).normal(size=(300, 2))
        >>> result = sp.fit(np.column_stack([x[:, 0], 2 * x[:, 0] + 0.1 * x[:, 1]]))
        >>> result.predict(np.array([[1.0, 0.0]]))["x1"].round(1)
        array([2.])
        """
        from sparsest.fitted.new_rows import predict

        return predict(self._model(), rows)

    @usual_arithmetic
    def log_likelihood(self, rows: Any) -> Array:
        """The log-likelihood of each row under the fitted model; higher is better.

        Parameters
        ----------
        rows : array, data frame or path
            New rows, as for `predict`.

        Returns
        -------
        array of shape (n,)

        Examples
        --------
        >>> import numpy as np
        >>> import sparsest as sp
        >>> x = np.random.default_rng(0).normal(size=(300, 2))
        >>> usual, unusual = sp.fit(x).log_likelihood(np.array([[0.0, 0.0], [5.0, 5.0]]))
        >>> bool(usual > unusual)
        True
        """
        from sparsest.fitted.new_rows import log_likelihood

        return log_likelihood(self._model(), rows)

    @usual_arithmetic
    def sample(
        self,
        n: int,
        rng: np.random.Generator,
        do: Mapping[str, Any] | None = None,
        member: str | None = None,
    ) -> polars.DataFrame:
        """Random rows from the fitted model, optionally under an intervention.

        Parameters
        ----------
        n : int
            The number of rows.
        rng : numpy.random.Generator
            The source of randomness.
        do : dict, optional
            Values at which columns are fixed regardless of their parents, such as ``{"x": 1.0}``. These are
            samples under an intervention if the DAG is the causal one.
        member : {"dag", "all"}, optional
            Under an intervention, whether rows come from `result.dag` alone, or from all members of its
            class, as many from each. By default from the DAG, with a warning where members differ in
            what follows.

        Returns
        -------
        polars.DataFrame
            One column each, with the words of categories.

        Examples
        --------
        >>> import numpy as np
        >>> import sparsest as sp
        >>> rng = np.random.default_rng(0)
        >>> x = rng.normal(size=(300, 2))
        >>> result = sp.fit(np.column_stack([x[:, 0], 2 * x[:, 0] + 0.1 * x[:, 1]]))
        >>> result.sample(1000, rng, do={"x0": 3.0}, member="dag").to_numpy().mean(axis=0).round(1)
        array([3., 6.])

        The data do not tell x0 -> x1 from x1 -> x0, so half of the graphs have no effect:

        >>> mixed = result.sample(1000, rng, do={"x0": 3.0}, member="all")
        >>> bool(2.5 < mixed["x1"].mean() < 3.5)
        True
        """
        self._model()
        from sparsest.effects.sampling import sample

        return sample(self, n, rng, do, member)  # type: ignore[arg-type]

    def _model(self) -> Fitted:
        if self.fitted is None:
            raise OptionError(
                "this result has no fitted model to predict or sample from: its model offers none (a "
                "user-defined likelihood does not say how)"
            )
        return self.fitted
