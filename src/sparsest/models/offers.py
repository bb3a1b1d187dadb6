"""What a model offers to solvers: the reason why a solver can or cannot be given to it."""

import enum


class Offers(enum.StrEnum):
    """One thing that a model may offer and a solver may need."""

    COVARIANCE = "covariance"  #: a covariance with a Gaussian likelihood
    LOCAL = "local"  #: a score for each column given its parents
    SPLINES = "splines"  #: local scores of splines with Gaussian noise
    NETWORK = "network"  #: local scores of networks
    GRADIENT = "gradient"  #: one likelihood for all columns, differentiated as a whole
