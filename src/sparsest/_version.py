"""The version, read by the build and by `sparsest.__version__`."""

__version__ = "0.1.0"
