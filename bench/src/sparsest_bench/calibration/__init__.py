"""How shares over resamples become probabilities: simulated tables, the fit of the map, what it is worth."""
