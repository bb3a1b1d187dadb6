"""The oldest versions that pyproject.toml declares, as constraints for pip."""

import re
import sys
import tomllib
from pathlib import Path

root = Path(__file__).parents[1]
declared = {}
for file in ("pyproject.toml", "bench/pyproject.toml"):
    project = tomllib.loads((root / file).read_text(encoding="utf-8"))["project"]
    extras = project.get("optional-dependencies", {})
    for requirement in [*project["dependencies"], *extras.get("test", [])]:
        found = re.fullmatch(r"([\w.-]+)(?:\[[\w,]+\])?>=([\w.]+)", requirement)
        if found is None:
            sys.exit(f"{file}: {requirement!r} has no lower bound of the form name>=version")
        name, version = found.groups()
        if name != "sparsest" and declared.setdefault(name, version) != version:
            sys.exit(f"{file}: {name} has two lower bounds, {declared[name]} and {version}")
sys.stdout.writelines(f"{name}=={version}\n" for name, version in declared.items())
