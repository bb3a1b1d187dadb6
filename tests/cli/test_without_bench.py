import importlib.util
import subprocess
import sys

import pytest

from tests.cli.test_cli import run


@pytest.mark.parametrize("words", [("bench", "mine.toml"), ("reproduce", "--list"), ("reproduce", "all")])
def test_without_the_benchmarks_their_commands_say_what_to_install(words, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "sparsest.cli.bench.find_spec", lambda name: None if name == "sparsest_bench" else found(name)
    )
    shown = run(*words)
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert f"`sparsest {words[0]}` needs sparsest-bench" in shown.stderr
    assert "`pip install ./bench`" in shown.stderr
    assert len(shown.stderr.splitlines()) == 1


def test_the_package_itself_imports_no_benchmarks():
    program = (
        "import sys; sys.modules['sparsest_bench'] = None\n"
        "import sparsest.cli.main, sparsest.simulate.designs, sparsest._core.store"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
