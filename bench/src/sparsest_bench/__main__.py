"""`sparsest-bench`: what maintainers run from the root of a clone."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from sparsest._core.errors import SparsestError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return 1 if something differs from what is kept."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.run(options)
    except SparsestError as error:
        sys.stderr.write(f"sparsest-bench: error: {error}\n")
        return 2
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="sparsest-bench", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    answers = commands.add_parser("answers", help="compare our answers with the reference")
    answers.add_argument("action", choices=("check", "write"))
    answers.add_argument(
        "--only", default="", metavar="TABLE", help="only tables whose name starts with this"
    )
    answers.set_defaults(run=_answers)
    tables = commands.add_parser("tables", help="write the tables of README.md and docs/ from published rows")
    tables.add_argument("--check", action="store_true", help="only say which pages are out of date")
    tables.set_defaults(run=_tables)
    table = commands.add_parser("table", help="print one of those tables")
    table.add_argument("name", help="as in a page's comment, such as invariance")
    table.set_defaults(run=_table)
    return parser


def _answers(options: argparse.Namespace) -> int:
    from sparsest_bench.answers import IDENTITY, REFERENCE, check, write

    if options.action == "write":
        _say(write(REFERENCE, IDENTITY))
        return 0
    found, lines = check(REFERENCE, options.only)
    _say(lines)
    return 0 if found.same else 1


def _tables(options: argparse.Namespace) -> int:
    from sparsest_bench.doc_tables import update

    stale = update(Path(), options.check)
    _say([f"out of date: {', '.join(stale)}" if stale else "all tables are up to date"])
    return 1 if stale and options.check else 0


def _table(options: argparse.Namespace) -> int:
    from sparsest_bench.doc_tables import made

    _say([made(options.name, Path())])
    return 0


def _say(lines: Sequence[str]) -> None:
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
