"""Pictures of graphs. matplotlib is imported by what draws, when it draws."""
