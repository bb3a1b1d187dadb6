"""Results as text and files: a summary for people, JSON and CSV for programs."""
