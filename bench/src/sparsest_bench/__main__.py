"""`sparsest-bench`: what maintainers run from the root of a clone."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 1 where something differs from what is kept."""
    options = _parser().parse_args(arguments)
    code: int = options.run(options)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="sparsest-bench", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    answers = commands.add_parser("answers", help="compare our answers with the reference")
    answers.add_argument("action", choices=("check", "write"))
    answers.add_argument("--only", default="", metavar="TABLE", help="check tables whose names start so")
    answers.set_defaults(run=_answers)
    return parser


def _answers(options: argparse.Namespace) -> int:
    from sparsest_bench.answers import IDENTITY, REFERENCE, check, write

    if options.action == "write":
        _say(write(REFERENCE, IDENTITY))
        return 0
    found, lines = check(REFERENCE, options.only)
    _say(lines)
    return 0 if found.same else 1


def _say(lines: Sequence[str]) -> None:
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
