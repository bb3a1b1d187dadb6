"""Options as they are typed in a shell, where a message has them as they are written in Python."""

from __future__ import annotations

import re
from collections.abc import Iterable

TABLE = (
    "columns",
    "exclude",
    "kinds",
    "drop_constant",
    "missing",
    "transform",
    "na",
    "strict",
    "resamples",
    "decimal",
)


def in_shell_words(message: str, options: Iterable[str]) -> str:
    """Replace `option=value` in a message, as written in Python, by what is typed in a shell.

    Only options of the command are replaced: `columns=[...]` becomes `--columns ...`.
    """
    for option in options:
        flag = f"--{option.rstrip('s') if option == 'kinds' else option.replace('_', '-')}"
        message = re.sub(rf"\b{option}=True\b", flag, message)
        message = re.sub(rf"\b{option}={{'?(.*?)'?: '?(.*?)'?}}", rf"{flag} \1=\2", message)
        message = re.sub(rf"\b{option}={{\.\.\.}}", f"{flag} NAME=KIND", message)
        message = re.sub(rf"\b{option}=\[(.*?)\]", rf"{flag} \1", message)
        message = re.sub(rf"\b{option}='(\w+)'", rf"{flag} \1", message)
        message = re.sub(rf"\b{option}=(?='|\d|\.\.\.)", f"{flag} ", message)
    return message
