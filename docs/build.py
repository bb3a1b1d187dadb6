"""Builds the site into build/site: `python docs/build.py`, then `python -m http.server -d build/site`.

Warnings are errors. Needs the extra `docs`; nothing is fetched.
"""

import shutil
import subprocess
import sys
import time
from pathlib import Path

DOCS = Path(__file__).parent
OUT = DOCS.parent / "build" / "site"


def main() -> int:
    """Build from nothing, so that what was renamed leaves no page behind; `--quick` keeps what is there."""
    quick = "--quick" in sys.argv
    if not quick:
        shutil.rmtree(OUT, ignore_errors=True)
        shutil.rmtree(DOCS / "generated", ignore_errors=True)
    begun = time.perf_counter()
    command = [sys.executable, "-m", "sphinx", "-q", "-j", "2", "-b", "html", str(DOCS), str(OUT)]
    code = subprocess.run([*command, "-W", "--keep-going"], check=False).returncode
    print(f"{'built' if code == 0 else 'failed'} after {time.perf_counter() - begun:.0f} s: {OUT}")  # noqa: T201
    return code


if __name__ == "__main__":
    sys.exit(main())
