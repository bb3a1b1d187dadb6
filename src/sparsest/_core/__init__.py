"""What every room stands on: errors, progress, validation, words, and the boundaries to numba and JAX."""
