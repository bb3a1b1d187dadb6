"""Results as text and files: a summary, a methods paragraph, JSON, CSV and archives."""
