"""All DAGs at once, each weighted by how well it explains the data: sums over subsets, lists, samples."""
