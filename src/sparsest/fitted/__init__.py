"""The fitted model behind a graph: predictions, likelihoods of new rows, samples and interventions."""
