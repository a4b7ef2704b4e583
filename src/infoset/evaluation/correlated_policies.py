"""Correlated policies: mixtures from which one policy is drawn for all players."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from infoset.errors import InfosetError, PolicyFileError
from infoset.evaluation.cce import CCEEvaluation, checked_weights, evaluate_cce
from infoset.evaluation.joint_distributions import JointDistribution, joint_distribution
from infoset.forms import SequenceForm, check_sequence_form
from infoset.policy import TabularPolicy, mix
from infoset.policy.parquet_files import (
    encoded,
    read_policy_rows,
    row_labels,
    write_policy_rows,
)
from infoset.policy.policy_tables import PROBABILITIES
from infoset.typing import FloatArray, LongArray
from infoset.utils.arguments import check_type
from infoset.utils.short_repr import ShortRepr


@dataclass(frozen=True, eq=False, repr=False)
class CorrelatedPolicy(ShortRepr):
    """A mixture of policies, one of which is drawn for all players before each play.

    The empirical play of learners has this form: draw an episode, and let all players play as in
    that episode. It differs from the product of the players' average policies, in which each player
    draws independently.

    Raises
    ------
    PolicyMismatchError
        If the policies are for different games.

    Examples
    --------
    A traffic light that lets one of two cars go:

    >>> import numpy as np
    >>> from infoset.games import matrix_game
    >>> from infoset.tree import build_tree
    >>> form = build_tree(
    ...     matrix_game([[-9, 1], [0, 0]], [[-9, 0], [1, 0]])
    ... ).sequence_form
    >>> go, stop = np.array([1.0, 1, 0]), np.array([1.0, 0, 1])
    >>> first, second = TabularPolicy(form, (go, stop)), TabularPolicy(form, (stop, go))
    >>> light = CorrelatedPolicy((first, second), (1.0, 1.0))
    >>> light.evaluate()
    CCEEvaluation(values=(0.5, 0.5), gains=(-0.5, -0.5), cce_gap=0.0)
    >>> light.draw(np.random.default_rng(0)) in light.policies
    True
    """

    policies: tuple[TabularPolicy[SequenceForm], ...]
    """At least one, all for the same game."""
    weights: tuple[float, ...]
    """One nonnegative number per policy. Policies are drawn with probability proportional to
    weight."""

    def __post_init__(self) -> None:
        checked_weights(self.policies, self.weights)

    @property
    def form(self) -> SequenceForm:
        """The sequence form of the game."""
        return self.policies[0].form

    def evaluate(self) -> CCEEvaluation:
        """Compute the exact values, deviation gains, and distance from a CCE."""
        return evaluate_cce(self.policies, self.weights)

    def average(self) -> TabularPolicy:
        """Return the policy that each player seems to play, if the others' draws are unknown.

        It is the product of the players' averages (`infoset.policy.mix`), under which each player
        draws independently. Its utilities differ from those of the correlated policy.
        """
        return mix(self.policies, self.weights)

    def draw(self, rng: np.random.Generator) -> TabularPolicy:
        """Draw the policy that all players follow in one play."""
        check_type("rng", rng, np.random.Generator, "np.random.default_rng(seed)")
        return self.policies[int(self.drawn_indices(rng.random(1))[0])]

    def drawn_indices(self, numbers: FloatArray) -> LongArray:
        """Return [n] the indices of the policies selected by random numbers [n] in [0, 1)."""
        bounds = np.cumsum(self.weights)
        last = np.flatnonzero(self.weights)[-1]
        drawn: LongArray = np.searchsorted(bounds, numbers * bounds[-1], side="right")
        drawn[drawn > last] = last  # a number near 1 can be rounded to the last bound
        return drawn

    def distribution(self) -> JointDistribution:
        """Return the mixture as a distribution over tuples of pure plans.

        Raises
        ------
        GameTooLargeError
            As in `infoset.evaluation.joint_distribution`.
        """
        return joint_distribution(self.policies, self.weights)


def save_correlated_policy(
    policy: CorrelatedPolicy, path: str | Path, metadata: Mapping[str, Any] | None = None
) -> None:
    """Write a correlated policy to a Parquet file, atomically replacing an existing file.

    The format is that of `infoset.policy.save_policy`, except that a column `probabilities` with
    one number per policy replaces the column `probability`. The metadata includes the `weights`.

    Parameters
    ----------
    metadata
        JSON values to store in the file.

    Raises
    ------
    PolicyFileError
        If the file cannot be written.
    """
    import pyarrow as pa

    check_type(
        "policy",
        policy,
        CorrelatedPolicy,
        "a CorrelatedPolicy; for other policies use infoset.policy.save_policy",
    )
    rows = np.stack(
        [np.concatenate([own[1:] for own in each.probabilities]) for each in policy.policies],
        axis=1,
    )
    lists = pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel(), pa.float64()), rows.shape[1])
    about = {**(metadata or {}), "weights": list(policy.weights)}
    form, table = policy.form, policy.form.table()
    columns = pa.table({**encoded(row_labels(table)), PROBABILITIES: lists})
    write_policy_rows(form, table, columns, path, about)


def load_correlated_policy(path: str | Path, form: SequenceForm) -> CorrelatedPolicy:
    """Read a correlated policy that `save_correlated_policy` wrote for this game.

    Raises
    ------
    PolicyFileError
        If the file is missing or damaged, or does not contain a correlated policy.
    PolicyMismatchError
        If the file was written for another game or other parameters.
    """
    check_sequence_form(form)
    found = read_policy_rows(path, PROBABILITIES, form, form.table())
    weights = found.fields["weights"]
    place = found.table.schema.names.index(PROBABILITIES)
    lists: Any = found.table.select([place]).column(0).combine_chunks()
    numbers = lists.flatten().to_numpy().reshape(-1, len(weights))
    # A column holds one policy: all players' sequences, without the empty ones.
    ends = np.cumsum([plex.num_sequences - 1 for plex in form.treeplexes])[:-1]
    parts = [np.split(column, ends) for column in numbers.T]
    try:
        policies = [
            TabularPolicy(form, tuple(np.concatenate([[1.0], own]) for own in part))
            for part in parts
        ]
        return CorrelatedPolicy(tuple(policies), weights)
    except InfosetError as error:
        raise PolicyFileError(
            f"{path} does not contain a correlated policy ({error}); give a file that "
            f"save_correlated_policy wrote"
        ) from error
