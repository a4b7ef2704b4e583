"""Forms: structure, gradients, values, policies and files, iterates and solves.

Labels and fingerprints are hashed as the numbers of their characters.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from digest_packages import form_adapters as adapters
from digest_packages.common import (
    Cells,
    evaluation_numbers,
    form_numbers,
    policy_numbers,
    result_numbers,
    tree_of,
)
from infoset.certificates import certificate_to_json, read_certificate, save_certificate
from infoset.evaluation import make_certificate
from infoset.policy import STORAGES
from infoset.solvers import solve_exactly

__all__ = ["cells", "text_numbers"]


def text_numbers(texts: Iterable[Hashable]) -> object:
    """Return texts, one a line, as the numbers of their characters."""
    return np.frombuffer("\n".join(map(str, texts)).encode(), np.uint8)


@cache
def policies(kind: str, name: str) -> tuple[Any, ...]:
    """Return the uniform and a random policy on a form."""
    form = adapters.form_by_id(kind, name)
    return adapters.uniform(form), adapters.random_policy_on(form, 5)


# Structure


def public_structure(name: str) -> object:
    """Return the arrays of a public form."""
    form = adapters.public_form(name)
    ends = form.terminals
    return (
        [
            (plex.parent_sequence, plex.first_sequence, plex.num_actions, plex.num_sequences)
            for plex in form.treeplexes
        ],
        (form.player, form.parent, form.action, form.num_actions, form.hand_set, form.class_map),
        list(form.hand_sets),
        list(form.hand_classes),
        form.prior.matrix(),
        (
            *(ends.node, ends.action, ends.chance_reach, ends.operator),
            *ends.payoffs_of(ends.payoff_set),
        ),
        [form.payoff_matrix(end, player) for end in range(len(ends)) for player in range(2)],
        (form.utility_limits, form.payoff_range, form.payoff_width, form.constant_sum),
        (form.payoff_rounding, form.rounding),
    )


def public_labels(name: str) -> object:
    """Return the labels of public nodes, hands and actions, and where their texts are found."""
    form = adapters.public_form(name)
    acting = np.flatnonzero(form.player >= 0).tolist()
    return (
        text_numbers(form.labels),
        [text_numbers(own) for own in form.hands],
        [text_numbers(form.legal_actions(node)) for node in acting],
        [form.find_line(form.label(node)) for node in acting],
        text_numbers([form.name]),
    )


def sequence_structure(name: str) -> object:
    """Return the arrays of a sequence form, and of the form without midranges."""
    form = adapters.sequence_form(name)
    return form_numbers(form), form_numbers(form.centered), form.payoff_width


def sequence_labels(name: str) -> object:
    """Return the labels of infostates and actions of a sequence form."""
    form = adapters.sequence_form(name)
    return [
        (
            text_numbers(tree.acting_labels),
            [text_numbers(tree.legal_actions(number)) for number in tree.acting.tolist()],
        )
        for tree in form.infostate_trees
    ], text_numbers([form.name])


def fingerprint(kind: str, name: str) -> object:
    """Return the fingerprint of a form."""
    return text_numbers([adapters.form_by_id(kind, name).fingerprint])


def layouts(kind: str, name: str) -> object:
    """Return the layouts of sequences."""
    found, public_states = adapters.layouts(adapters.form_by_id(kind, name))
    return [
        (layout.groups, layout.parent, layout.position, layout.infostate, layout.blocks)
        for layout in found
    ], list(public_states)


# Numbers


def gradients(kind: str, name: str) -> object:
    """Return gradients at the uniform and at a random policy."""
    form = adapters.form_by_id(kind, name)
    return [
        adapters.gradient(form, policy, player)
        for policy in policies(kind, name)
        for player in range(form.num_players)
    ]


def kernel_payoffs(name: str, precision: str) -> object:
    """Return the payoffs of a sequence form as the kernels read them."""
    return adapters.kernel_payoffs(adapters.sequence_form(name), precision)


def values(kind: str, name: str) -> object:
    """Return the evaluations of policies."""
    return [evaluation_numbers(adapters.measure(policy)) for policy in policies(kind, name)]


def values_by_hand(name: str) -> object:
    """Return what each hand earns, and ranges and values of hands at public nodes."""
    form, found = adapters.public_form(name), list[object]()
    for policy in policies("public", name):
        for own in adapters.hand_evaluations(policy):
            found.append((own.probabilities, own.values, own.best_response_values, own.gains))
        places = adapters.place_values(policy)
        for node in range(0, form.num_nodes, max(1, form.num_nodes // 12)):
            found.append(places.probability(node))
            for player in range(2):
                found.append(places.own_reach(node, player))
                found.append(places.counterfactual_reach(node, player))
                found.append(places.belief(node, player))
                found.append(places.values(node, player))
                found.append(places.response_values(node, player))
            if form.player[node] >= 0:
                found.append(places.action_values(node))
    return found


def equity(name: str) -> object:
    """Return the equity of hands at the root and at later public nodes."""
    form, found = adapters.public_form(name), list[object]()
    for seed, node in enumerate(range(0, form.num_nodes, max(1, form.num_nodes // 4))):
        found.append(adapters.equity(form, node, tuple(map(np.ones, form.num_hands))))
        found.append(adapters.equity(form, node, adapters.random_ranges(form, seed)))
        found.append(adapters.place_values(policies("public", name)[1]).equity(node))
    return found


# Policies and files


def digests_of_policies(kind: str, name: str) -> object:
    """Return policies, their digests and their plans."""
    return [
        (policy_numbers(policy), text_numbers([policy.digest]), adapters.plans_of(policy))
        for policy in policies(kind, name)
    ]


def public_rows(name: str) -> object:
    """Return a policy by hand, its rows, and its answers at single hands and lines."""
    form, policy = adapters.public_form(name), policies("public", name)[1]
    rows = list(policy.rows())
    acting = np.flatnonzero(form.player >= 0).tolist()[::3]
    answers = [
        adapters.chances_at(policy, form.hands[form.player[node]][-1], form.label(node))
        for node in acting
    ]
    return (
        [policy.by_hand(player) for player in range(2)],
        [policy.at_node(node) for node in acting],
        answers,
        text_numbers(row.infostate for row in rows),
        [(row.player, row.own_reach, row.probabilities) for row in rows],
    )


def converted(name: str) -> object:
    """Return a tabular policy as one on the public form, and a public policy as a tabular one."""
    form, tree = adapters.public_form(name), tree_of(name)
    tabular = policies("sequence", name)[1]
    there = adapters.as_public(form, tabular)
    back = adapters.as_tabular(adapters.tree_form(tree), policies("public", name)[1])
    infostates = [
        (own.infostate_at(number), own.legal_actions(number))
        for own in tree.infostate_trees
        for number in own.acting.tolist()[::5]
    ]
    asked = [there.action_probabilities(*infostate) for infostate in infostates]
    return policy_numbers(there), policy_numbers(back), asked


def files(kind: str, name: str, storage: str) -> object:
    """Return the numbers in a file of a policy, and the policy read back from it."""
    policy = policies(kind, name)[1]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "policy.parquet"
        columns = adapters.saved_numbers(policy, path, storage)
        return columns, policy_numbers(adapters.loaded(path, adapters.form_by_id(kind, name)))


def csv_file(kind: str, name: str) -> object:
    """Return the text of a policy as comma-separated values."""
    with TemporaryDirectory() as folder:
        return text_numbers([adapters.saved_csv(policies(kind, name)[1], Path(folder) / "p.csv")])


def certificate(game: str) -> object:
    """Return a certificate of an exact value, and the same read from its file."""
    made = make_certificate(solve_exactly(tree_of(game)), tree_of(game))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "certificate.json"
        save_certificate(made, path)
        read = read_certificate(path)
    return [
        (
            (found.lower, found.upper, found.num_histories),
            text_numbers(str(certificate_to_json(found)[key]) for key in ("game", "policies")),
        )
        for found in (made, read)
    ]


# Iterates and solves


def iterates(kind: str, name: str, scheme: str, precision: str, threads: int) -> object:
    """Return the state of a minimizer after 1, 10 and 100 iterations."""
    form, found = adapters.form_by_id(kind, name), list[object]()
    own = adapters.minimizer_on(form, scheme, precision, threads)
    for target in (1, 10, 100):
        own.run(target - own.iteration)
        found.append(
            (
                own.current_plans(),
                own.average_plans(),
                own.current_probabilities(),
                [own.regrets(player) for player in range(form.num_players)],
            )
        )
    return found


def solved(kind: str, name: str, method: str, **options: Any) -> object:
    """Return the result of a method."""
    form = adapters.form_by_id(kind, name)
    return result_numbers(adapters.solved(form, method, **options))


# The table

DERIVED = ("kuhn_poker", "leduc_poker", "liars_dice_3")
PUBLIC = (*DERIVED, *adapters.RULE_BUILT)
POKER = tuple(name for name in PUBLIC if "dice" not in name)
SEQUENCE = (
    "kuhn_poker",
    "leduc_poker",
    "liars_dice_3",
    "kuhn_poker_3",
    "random_3",
    "shapley",
    "general_sum",
)
TWO_PLAYERS = tuple(name for name in SEQUENCE if "_3" not in name or "dice" in name)
SCHEMES = ("cfr", "cfr+", "dcfr", "pcfr+", "sapdcfr+")
VARIANTS: dict[str, tuple[str, int]] = {
    "plain": ("float64", 1),
    "float32": ("float32", 1),
    "threads": ("float64", 2),
    "float32-threads": ("float32", 2),
}
ITERATED = {
    "public": ("leduc_poker", "liars_dice_3", "river", "river_merged", "river_rake", "turn_merged"),
    "sequence": ("kuhn_poker", "leduc_poker", "kuhn_poker_3", "random_3", "shapley", "general_sum"),
}


def cells() -> Cells:
    """Yield the digests of the package."""
    for name in PUBLIC:
        yield f"structure/public/{name}", partial(public_structure, name)
        yield f"labels/public/{name}", partial(public_labels, name)
        yield f"hands/public/{name}", partial(values_by_hand, name)
        yield f"rows/public/{name}", partial(public_rows, name)
    for name in POKER:
        yield f"equity/{name}", partial(equity, name)
    for name in DERIVED:
        yield f"converted/{name}", partial(converted, name)
    for name in SEQUENCE:
        yield f"structure/sequence/{name}", partial(sequence_structure, name)
        yield f"labels/sequence/{name}", partial(sequence_labels, name)
        for precision in ("float64", "float32"):
            yield (
                f"kernel-payoffs/{precision}/{name}",
                partial(kernel_payoffs, name, precision),
            )
    for kind, names in (("public", PUBLIC), ("sequence", SEQUENCE)):
        for name in names:
            for what, cell in BOTH.items():
                yield f"{what}/{kind}/{name}", partial(cell, kind, name)
    yield from file_cells()
    yield from iterated_cells()


BOTH = {
    "fingerprint": fingerprint,
    "layouts": layouts,
    "gradients": gradients,
    "values": values,
    "policies": digests_of_policies,
}


def file_cells() -> Cells:
    """Yield files of policies and certificates."""
    for name in ("leduc_poker", "liars_dice_3", "river", "river_merged", "river_rake"):
        for storage in STORAGES:
            yield f"files/public/{storage}/{name}", partial(files, "public", name, storage)
        yield f"csv/public/{name}", partial(csv_file, "public", name)
    for name in ("leduc_poker", "kuhn_poker_3", "general_sum"):
        yield f"files/sequence/float64/{name}", partial(files, "sequence", name, "float64")
        yield f"csv/sequence/{name}", partial(csv_file, "sequence", name)
    for name in ("kuhn_poker", "rock_paper_scissors", "liars_dice_3"):
        yield f"certificate/{name}", partial(certificate, name)


def iterated_cells() -> Cells:
    """Yield iterates and solves."""
    for kind, names in ITERATED.items():
        for name in names:
            variants = dict(VARIANTS)
            if kind == "sequence" and name not in TWO_PLAYERS:
                variants = {text: row for text, row in VARIANTS.items() if row[1] == 1}
            for scheme in SCHEMES:
                for text, row in variants.items():
                    run = partial(iterates, kind, name, scheme, *row)
                    yield f"iterates/{text}/{scheme}/{kind}/{name}", run
                run = partial(solved, kind, name, scheme, iterations=60)
                yield f"solved/{scheme}/{kind}/{name}", run
    for name in ITERATED["public"]:
        yield f"solved/auto/public/{name}", partial(solved, "public", name, "auto", iterations=60)
        if name != "river_rake":
            run = partial(solved, "public", name, "cfr+", target="1%")
            yield f"target/public/{name}", run
