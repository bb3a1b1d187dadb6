"""What models offer to solvers, which decides on the solvers that can be used with a model."""

import enum


class Offers(enum.StrEnum):
    """Something that a model may offer and a solver may need."""

    COVARIANCE = "covariance"  #: a covariance with a Gaussian likelihood
    LOCAL = "local"  #: a score for each column given its parents
    SPLINES = "splines"  #: local scores of splines with Gaussian noise
    NETWORK = "network"  #: local scores of networks
    GRADIENT = "gradient"  #: a differentiable likelihood of all columns together
