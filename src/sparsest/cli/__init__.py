"""The command line: one file a command, no logic. Nothing heavy is imported before a command runs."""
