"""Functions with the names and results of other libraries."""
