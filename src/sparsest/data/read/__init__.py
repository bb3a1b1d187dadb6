"""Reading: any table, from an array to a folder of files, as named columns of numbers."""
