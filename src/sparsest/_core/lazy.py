"""Public names that are imported when first used (PEP 562), so that importing the package stays light."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def lazy_names(
    namespace: dict[str, Any], homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package; a home is "module:name", or "module" for a module itself."""

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {namespace['__name__']!r} has no attribute {name!r}")
        module, _, attribute = homes[name].partition(":")
        found = importlib.import_module(module)
        namespace[name] = getattr(found, attribute) if attribute else found
        return namespace[name]

    def names() -> list[str]:
        return sorted(namespace["__all__"])

    return get, names
