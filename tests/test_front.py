"""The front of the library: the public names of `import infoset`, and lazily loaded modules."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

import pytest

import infoset
from tests.docs.snippets import ROOT

HEAVY = ["matplotlib", "scipy", "scipy.optimize", "pyarrow", "numba", "jax", "highspy", "pandas"]
HEAVY += ["pyspiel", "rich", "typer", "psutil", "pygraphviz"]


def packages():
    """Return the subpackages and modules directly below `infoset`."""
    return [found.name for found in iter_modules(infoset.__path__) if found.name != "__main__"]


def test_every_front_name_is_the_same_thing_twice_after_importing_every_subpackage():
    before = {name: getattr(infoset, name) for name in infoset.__all__}
    for package in packages():
        assert isinstance(import_module(f"infoset.{package}"), ModuleType)
    for name, thing in before.items():
        assert getattr(infoset, name) is thing
        assert getattr(infoset, name) is thing
        assert not isinstance(thing, ModuleType)


def test_no_front_name_is_the_name_of_a_package():
    assert not set(packages()) & set(infoset.__all__)
    assert not {package.lower() for package in packages()} & {
        name for name in infoset.__all__ if name.islower()
    }


@pytest.mark.parametrize("time", ["first", "second"])
def test_the_verbs_work_every_time(time):
    game = infoset.load("kuhn_poker")
    assert infoset.info(game).histories == 55
    result = infoset.solve(game, iterations=2)
    assert infoset.evaluate(game, result.policy).nash_conv == result.nash_conv
    assert infoset.play_matches(game, result.policy, None, num_deals=2).num_deals == 2


def test_the_front_is_the_list_that_type_checkers_see_of_what_the_rooms_offer():
    stub = ast.parse(Path(infoset.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    listed = {str(node.module): node.names for node in imports}
    names = [alias.name for aliases in listed.values() for alias in aliases]
    assert sorted(infoset.__all__) == sorted(names) == dir(infoset)
    assert len(names) == len(set(names))
    assert all(alias.asname == alias.name for aliases in listed.values() for alias in aliases)
    for package, aliases in listed.items():
        assert {alias.name for alias in aliases} <= set(import_module(f"infoset.{package}").__all__)


def test_all_conversions_for_other_programs_are_at_the_top():
    page = (ROOT / "docs" / "import-export.md").read_text("utf-8")
    table = [line for line in page.splitlines() if line.startswith("| ") and "`" in line][:8]
    named = set(re.findall(r"`(\w+)\(", " ".join(table)))
    rooms = (infoset.efg, infoset.interop)
    conversions = {
        name
        for room in rooms
        for name in room.__all__
        if name.startswith(("save_", "to_", "policy_"))
    }
    assert named == conversions | {"load", "load_policy", "save_policy"}
    assert named <= set(infoset.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="No infoset attribute sole"):
        infoset.sole  # noqa: B018
    assert not hasattr(infoset, "matplotlib")


def test_star_import():
    names: dict[str, object] = {}
    exec("from infoset import *", names)
    assert set(infoset.__all__) <= set(names)


def loaded_after(statement: str) -> set[str]:
    """Return the heavy modules that a new Python process has loaded after a statement."""
    program = f"{statement}\nimport sys\nprint([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(ast.literal_eval(done.stdout))


def test_importing_the_library_loads_nothing_heavy():
    assert loaded_after("import infoset") == set()


def test_rooms_without_kernels_load_nothing_heavy():
    loaded = loaded_after(
        "import infoset.game, infoset.games, infoset.plotting, infoset.errors, infoset.typing"
    )
    assert not loaded & {"matplotlib", "scipy.optimize", "pyarrow", "jax", "highspy", "pyspiel"}
