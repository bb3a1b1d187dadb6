"""The standing attack on what is read: hostile files, made from seeds, and processes that may die of them."""
