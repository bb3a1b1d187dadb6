"""One colour, marker and line a method, the same in every figure."""

from __future__ import annotations

from sparsest.plot.style import BLUE, GREY, ORANGE, SLATE

GREEN = "#009E73"

# Families share a hue: ours blue, least squares orange and red, constraint and order searches green, what
# sorting or nothing achieves grey.
_INK: dict[str, tuple[str, str, str]] = {
    "auto": (BLUE, "o", "-"),
    "exact": (BLUE, "o", "-"),
    "order": (BLUE, "s", "-"),
    "differentiable": ("#56B4E9", "D", "-"),
    "logll-dagma": ("#56B4E9", "^", "-"),
    "logll-dagma@0.3": ("#56B4E9", "^", "--"),
    "logll-notears@0.3": ("#88CCEE", "v", "--"),
    "logll-dagma-population@0.3": ("#332288", "^", ":"),
    "auto-population": ("#332288", "o", ":"),
    "dagma": (ORANGE, "x", "-"),
    "our-dagma@0.3": (ORANGE, "x", "--"),
    "our-notears@0.3": ("#E69F00", "+", "--"),
    "gcastle-notears": ("#E69F00", "+", "-"),
    "golem-ev@0.3": ("#CC79A7", "<", "--"),
    "golem-nv@0.3": ("#882255", ">", "--"),
    "pc": (GREEN, "P", "-"),
    "fges": ("#661100", "h", "-"),
    "fges@ours": ("#661100", "h", "--"),
    "tetrad-boss": ("#117733", "p", "-"),
    "tetrad-boss@ours": ("#117733", "p", "--"),
    "tetrad-boss-10@ours": ("#117733", "p", ":"),
    "boss": ("#117733", "*", "-"),
    "boss@ours": ("#117733", "*", "--"),
    "grasp": ("#999933", "X", "-"),
    "grasp@ours": ("#999933", "X", "--"),
    "ges": ("#44AA99", "d", "-"),
    "cl-ges": ("#44AA99", "d", "--"),
    "cl-ges@ours": ("#44AA99", "d", ":"),
    "ges-package": ("#44AA99", "8", ":"),
    "gaussian": ("#332288", "s", "-"),
    "logistic": (BLUE, "o", "-"),
    "logll-notears-logistic": ("#88CCEE", "v", "-"),
    "logll-notears-logistic@0.3": ("#88CCEE", "v", "--"),
    "gcastle-notears-logistic": ("#E69F00", "+", "-"),
    "gcastle-notears-logistic-0.02": ("#E69F00", "+", "--"),
    "dagma-logistic": (ORANGE, "x", "-"),
    "mixed": (BLUE, "o", "-"),
    "mlp": (BLUE, "o", "-"),
    "logll-notears-mlp-40@0.3": ("#88CCEE", "v", "--"),
    "gcastle-notears-mlp": ("#E69F00", "+", "-"),
    "gcastle-notears-mlp-10": ("#E69F00", "+", "--"),
    "dagma-mlp": (ORANGE, "x", "-"),
    "additive": ("#56B4E9", "D", "-"),
    "cam": ("#999933", "X", "-"),
    "direct-lingam": ("#CC79A7", "<", "-"),
    "varsort": (SLATE, "1", "-"),
    "r2sort": (SLATE, "2", "--"),
    "empty": (GREY, ".", ":"),
    "random": (GREY, ",", ":"),
}
_SPARE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255", "#117733", "#999933")


def ink(method: str) -> tuple[str, str, str]:
    """Colour, marker and line of a method; one that has none of its own gets a colour by its name."""
    return _INK.get(method, (_SPARE[sum(map(ord, method)) % len(_SPARE)], "o", "-"))
