"""The command line: one file per command, no logic. Nothing heavy is imported before a command runs."""
