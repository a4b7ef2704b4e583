"""Compare CFR+ on locked, cut and gadget forms with CFR+ on forms of the same size without them.

    python benchmarks/transforms.py

Prints one row per form and transform. Locks are compared with the form itself. A cut form, at all
nodes after the first two actions, is compared with the trunk alone, in which the leaves pay
nothing; it has fixed values, or a function that returns them, so that each iteration is stepped. A
gadget form is compared with the subgame without a gadget, which has the same forced moves. Times
are minimums over interleaved runs, in processor time of one iteration of both players.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

import infoset
from infoset.forms import Form, PublicForm, add_gadget, cut, entered_public_form, lock
from infoset.regret import SCHEMES, RegretMinimizer

FORMS = {
    "leduc_poker": 1000,
    "nolimit_endgame(board=Ks9d8h4s2c,pot=100,stack=200)": 100,
}
"""Games, and iterations of a run."""

DEPTH, SAMPLES = 2, 12


def locks(form: PublicForm) -> Iterator[tuple[str, Form, Form]]:
    """Yield forms with nothing, one public node, and one of each player locked."""
    policy = infoset.uniform_policy(form)
    nodes = [int(own[0]) for own in form.decisions]
    one, other = ({form.label(node): policy.at_node(node)} for node in nodes)
    yield "nothing locked", form, lock(form, {})
    yield "one player locked at a node", form, lock(form, other)
    yield "both players locked at a node", form, lock(form, one | other)


def cuts(form: PublicForm) -> Iterator[tuple[str, Form, Form]]:
    """Yield the form cut after `DEPTH` actions, with fixed values and with a function."""
    zeros = tuple(np.zeros(size) for size in form.num_hands)
    stepped = cut(form, lambda node, ranges: zeros, depth=DEPTH)
    fixed = dict.fromkeys(stepped.trunk.leaves.node.tolist(), zeros)
    yield "cut with fixed values", stepped.trunk.form, cut(form, fixed, depth=DEPTH)
    yield "cut with a function", stepped.trunk.form, stepped


def gadgets(form: PublicForm) -> Iterator[tuple[str, Form, Form]]:
    """Yield a subgame with each gadget."""
    node = int(np.flatnonzero(form.parent == 0)[0])
    part = entered_public_form(form, node)
    ones = [np.ones(size) for size in part.num_hands]
    for gadget in ("resolving", "max-margin", "none"):
        yield f"gadget {gadget}", part, add_gadget(part, 0, *ones, gadget)


def seconds(solver: RegretMinimizer, iterations: int) -> float:
    """Return the processor time of some iterations."""
    begin = time.process_time()
    solver.run(iterations)
    return time.process_time() - begin


def main() -> None:
    """Measure each transform of each form."""
    print("form,transform,microseconds without,microseconds,ratio")
    for name, iterations in FORMS.items():
        form = infoset.build_public_form(name)
        for transform, without, given in (*locks(form), *cuts(form), *gadgets(form)):
            solvers = [RegretMinimizer(one, SCHEMES["cfr+"]) for one in (without, given)]
            samples = [[seconds(one, iterations) for one in solvers] for _ in range(SAMPLES)]
            plain, changed = np.min(samples[1:], axis=0) / iterations * 1e6
            text = f"{plain:.1f},{changed:.1f},{changed / plain:.2f}"
            print(f'"{form.name}",{transform},{text}', flush=True)


if __name__ == "__main__":
    main()
