"""Mean and covariance: from rows in one pass, merged, checked, with missing values."""
