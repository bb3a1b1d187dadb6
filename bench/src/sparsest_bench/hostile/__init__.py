"""The standing attack on what sparsest reads: hostile files, made from seeds, read in processes that may die."""
