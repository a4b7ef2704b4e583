"""Certificates of proved bounds, for files that others can verify."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from infoset.certificates import (
    Certificate,
    ExactPolicy,
    guaranteed_bounds,
    verify_certificate,
)
from infoset.errors import CertificateError
from infoset.evaluation.value_proofs import ValueProof
from infoset.forms import InfostateTree
from infoset.games import is_registered, load_game
from infoset.tree import GameTree
from infoset.utils.arguments import check_type


def make_certificate(proof: ValueProof, tree: GameTree) -> Certificate:
    """Return the certificate of proved bounds, after verifying it by the rules of the game.

    Parameters
    ----------
    proof
        Such as `solve_exactly(tree)` or `prove_value(tree, policy)`.
    tree
        The game of the proof. If it is not registered under its name, verification also needs its
        code.

    Raises
    ------
    CertificateError
        If the proof is of another game, or another game is registered under the name.
    UnsupportedGameError
        If the game has more than 2,000,000 histories.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.solvers import solve_exactly
    >>> from infoset.tree import build_tree
    >>> tree = build_tree(load_game("kuhn_poker"))
    >>> certificate = make_certificate(solve_exactly(tree), tree)
    >>> print(certificate.value, certificate.policies[1]["[J] / bet"]["bet"])
    -1/18 0
    """
    check_type("proof", proof, ValueProof, "a proof, such as solve_exactly(tree)")
    check_type("tree", tree, GameTree, "the tree of the game, such as build_tree(game)")
    first, second = (
        _exact_policy(infostates, values)
        for infostates, values in zip(tree.infostate_trees, proof.probabilities, strict=True)
    )
    # The bounds are computed again: rewards in a tree are rounded sums.
    found = guaranteed_bounds(tree.game, (first, second))
    certificate = Certificate(
        game=str(tree.game),
        lower=found.lower,
        upper=found.upper,
        policies=(first, second),
        num_histories=found.num_histories,
    )
    if not is_registered(certificate.game):
        verify_certificate(certificate, game=tree.game)
    elif type(load_game(certificate.game)) is type(tree.game):
        verify_certificate(certificate)
    else:
        raise CertificateError(
            f"the game is called {certificate.game}, which is the name of a registered game with "
            "other rules; give it another name: that of its class, or the title in its file"
        )
    return certificate


def _exact_policy(infostates: InfostateTree, values: Sequence[Fraction]) -> ExactPolicy:
    """Return the probabilities of sequences by the texts of infostates and actions."""
    policy = {}
    numbers = infostates.acting.tolist()
    if infostates.num_sequences != len(values):
        raise CertificateError(
            f"the proof has {len(values)} sequences of player {infostates.player}, and the tree "
            f"{infostates.num_sequences}; give the tree of the game that was proved"
        )
    for number, text in zip(numbers, infostates.acting_labels, strict=True):
        first = int(infostates.first_sequence[number])
        actions = map(str, infostates.legal_actions(number))
        policy[text] = {
            action: Fraction(value) for action, value in zip(actions, values[first:], strict=False)
        }
    return policy
