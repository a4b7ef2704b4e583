"""Searchers that solve the rest of the game again at each decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, Literal, Protocol, runtime_checkable

import numpy as np

from infoset.errors import (
    ExplorationLimitError,
    ParameterError,
    PolicyMismatchError,
    UnsupportedGameError,
    UserFunctionError,
)
from infoset.evaluation import PublicContinuation, TransformedValues, transformed_values
from infoset.evaluation.tree_reach import check_same_game
from infoset.forms import Form, PublicForm, as_public_form
from infoset.game import Game, Infostate
from infoset.game.infostate import infostate_generator
from infoset.policy import (
    TRANSFORMATIONS,
    Policy,
    TabularPolicy,
    UniformPolicy,
    checked_probabilities,
)
from infoset.resolving.blueprints import GivenBlueprint, resolve_blueprint, tabular_blueprint
from infoset.resolving.continuation_values import (
    ContinuationFunction,
    ContinuationValues,
    ExactContinuationValues,
)
from infoset.resolving.form_model import FormModel
from infoset.resolving.gadgets import GADGETS
from infoset.resolving.leaf_rules import LEAF_RULES
from infoset.resolving.public_resolver import PublicResolver
from infoset.resolving.public_state_resolver import PublicStateResolver, whole_policies
from infoset.resolving.range_values import RangeValues
from infoset.resolving.resolution import (
    ITERATIONS,
    MIN_ITERATIONS,
    TOLERANCE,
    Resolver,
    ResolvingRecord,
    ResolvingSettings,
)
from infoset.resolving.rules_resolver import RulesResolver
from infoset.resolving.tree_resolver import TreeParts, TreeResolver
from infoset.runs import SolveResult
from infoset.runs.searcher import SearchBudget, SearchedGame, Searcher
from infoset.tree import GameTree, build_world_graph
from infoset.tree.counting import count_histories
from infoset.tree.game_tree import unroll
from infoset.typing import Action, FloatArray
from infoset.utils.arguments import check_generator, check_type
from infoset.utils.clocks import compiling_seconds, working_seconds

MAX_HISTORIES: Final = 300_000
"""Histories up to which the tree of a game is built."""


@runtime_checkable
class TabulatedValues(Protocol):
    """Leaf values that can be tabulated, such as those of a critic."""

    def tabulate(self, tree: GameTree) -> TransformedValues:
        """Return the values of all histories of a tree."""
        ...


KINDS_OF_VALUES: Final = (TransformedValues, ContinuationValues, RangeValues)


class ContinualResolving(Searcher):
    """Continual re-solving: each decision solves a depth-limited subgame with a gadget.

    The subgame starts at the public state of the decision. The searcher's range there comes from
    its earlier searches, and the gadget offers the opponent its value against them. At the depth
    limit, the opponent chooses one of its transformed blueprints at each of its infostates.

    On the tree of a game or on its public form, each search solves an exact part of it. Otherwise
    it builds the part from the rules: from all histories of the public state if there are few
    enough, else from a sample of them. If even a small sample has too many terminals and leaves,
    there is no search.

    A limit on time or iterations never makes an answer worse than no search. With fewer than 20
    iterations, or if the opponent could gain by the solution (see `tolerance`), the searcher plays
    its *fallback*: the last solution that was played earlier in the same play, if it extends to the
    infostate, and otherwise the blueprint. `last_search.method` and `methods` report the source of
    the answer. A depth limit on a public form can make it worse, because the values there are by
    default those of a single continuation, to which the opponent is not bound.

    Parameters
    ----------
    model : SearchModel, GameTree or PublicForm
        A two-player constant-sum game; without a tree or a public form it must be zero-sum. The
        tree of a small explored game is built. If the blueprint is on a public form, searches use
        that form.
    blueprint : Policy, function, SolveResult, str or Path, optional
        The policy of both players; by default uniform. A function of an infostate and its legal
        actions; or, with a tree or a public form, the name of a method, which solves it, `zoo:NAME`
        for a policy of the zoo, or a policy file.
    values : TransformedValues, ContinuationValues, RangeValues or callable, optional
        Values of histories for the opponent's continuations: those of a critic, or a function
        `(histories, player) -> [K, n]`, see `ContinuationValues`. By default exact ones with
        `TRANSFORMATIONS`, which need a tree. With a tree also `RangeValues`, such as a value
        network: values of infostates at the depth limit by range. On a public form, a function
        `(node, ranges)` that gives the value of each hand at the depth limit, see
        `infoset.forms.LeafFunction`, and the opponent's values at the root of a search that begins
        there; by default those of the blueprint.
    depth : int, "auto" or None
        A search stops where each player has acted at this many public states. None searches to the
        end of the game. "auto" is 1, but None on a public form without `values`. There, leaf values
        are those of the blueprint: a single continuation, to which the opponent is not bound, so
        the answer may be worse than the blueprint. They are also computed in each iteration, which
        costs more than solving the rest of the game.
    gadget
        A name from `infoset.resolving.GADGETS`.
    opponent
        A name from `OPPONENT_VALUES`.
    leaf_rule
        A name from `LEAF_RULES`: how players choose among continuations at the depth limit.
        `matrix` needs a tree and values with `transformed_values(..., pairs=True)`, which are the
        default; on a public form, where leaves have no choices, there is only `choice`.
    iterations
        Maximum number of iterations of CFR+ in each search; None if `milliseconds` alone limits it.
    milliseconds
        Time limit of a search, including sampling histories and building the part. Answers then
        depend on the machine.
    max_ends
        Without a tree, the maximum number of terminal histories and histories at the depth limit in
        a search. By default 5,000, or with a time limit as many as leave time for `iterations`.
    max_histories
        Without a tree, the maximum number of histories of a public state that are listed. By
        default 20,000, or with a time limit ten times as many as can be sampled.
    num_samples
        Number of histories that are sampled if there are more. By default 300, or with a time limit
        as many as an eighth of it allows. 0 to search only where all histories are listed, and the
        part below them has at most `max_ends`; elsewhere the fallback is played.
    tolerance
        A solution is played only if at no infostate of its root a best response of the opponent
        earns more than it may take there, by more than this fraction of the payoff range. None to
        play all solutions. Solutions are not compared if `values` are learned, by range, or a
        function, nor with `opponent="profile"` or `gadget="none"`, which do not guarantee the
        opponent a value.
    seed
        Seed of the samples.

    Attributes
    ----------
    last_search : ResolvingRecord or None
        Result and cost of the last decision.
    methods : Counter
        Number of decisions by `ResolvingRecord.method`.
    num_short, num_rejected : int
        Number of decisions at which a search had too few iterations, or its solution was rejected.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum, or it or the blueprint needs a tree.
    PolicyMismatchError
        If the blueprint or the values belong to another game, or the values to another blueprint.
    UnknownNameError, ParameterError
        If a name is unknown, a number out of range, or leaf values are missing.

    Notes
    -----
    Source: Moravčík et al. (2017), Burch, Johanson, Bowling (2014); with transformations at the
    depth limit Kubíček, Burch, Lisý, arXiv 2312.15220 (2023). Differs: CFR+ alternates, and
    unless `leaf_rule="stateless"`, choices at leaves are part of the game that CFR+ solves.

    Examples
    --------
    >>> from infoset.evaluation import nash_conv
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> tree = build_tree(load_game("kuhn_poker"))
    >>> nash_conv(ContinualResolving(tree).search_policy()) < 0.1
    True
    """

    is_continual = True
    if_short = "it plays an earlier solution, or the blueprint"

    def __init__(
        self,
        model: SearchedGame | GameTree | Form,
        blueprint: GivenBlueprint | None = None,
        values: TransformedValues
        | ContinuationValues
        | RangeValues
        | ContinuationFunction
        | None = None,
        *,
        depth: int | Literal["auto"] | None = "auto",
        gadget: str = "resolving",
        opponent: str = "previous",
        leaf_rule: str = "choice",
        iterations: int | None = ITERATIONS,
        milliseconds: float | None = None,
        max_ends: int | None = None,
        max_histories: int | None = None,
        num_samples: int | None = None,
        tolerance: float | None = TOLERANCE,
        seed: int = 0,
    ) -> None:
        kinds = (SearchedGame, GameTree, Form)
        check_type("model", model, kinds, "a GameTree, a PublicForm, or search_model(game)")
        form = _public_form_of(model, blueprint)
        if isinstance(model, GameTree):
            model = FormModel(model.sequence_form, model)
        elif isinstance(model, Form):
            model = FormModel(model)
        super().__init__(model, seed=seed)
        if self.model.num_players != 2:
            raise UnsupportedGameError(
                f"re-solving needs a two-player constant-sum game; {self.model.game} has "
                f"{self.model.num_players} players"
            )
        if not (values is None or callable(values) or isinstance(values, KINDS_OF_VALUES)):
            raise ParameterError(
                f"values={values!r} are not values at a depth limit; give "
                + ("a critic, transformed_values, or " if form is None else "")
                + "a function; help(infoset.resolving.ContinualResolving) describes them"
            )
        if iterations is None and milliseconds is None:
            raise ParameterError(
                "iterations=None and milliseconds=None would never end a search; give at least one "
                "of the two limits"
            )
        self.budget = SearchBudget("iterations", iterations, milliseconds)
        settings = ResolvingSettings(
            depth=(None if form and values is None else 1) if depth == "auto" else depth,
            gadget=gadget,
            opponent=opponent,
            leaf_rule=leaf_rule,
            is_continual=self.is_continual,
            budget=self.budget,
            max_ends=max_ends,
            max_histories=max_histories,
            num_samples=num_samples,
            tolerance=tolerance,
        )
        # After the checks of all settings: a tree, or a method as blueprint, may take seconds.
        self.tree = _tree_of(self.model, values) if form is None else None
        whole = form if self.tree is None else self.tree.sequence_form
        given = resolve_blueprint(blueprint, whole)
        table = None if form is None else tabular_blueprint(form, given)
        is_exact = _are_exact(values, table)
        self.resolving = settings if is_exact else replace(settings, tolerance=None)
        self.last_search: ResolvingRecord | None = None
        self.methods: Counter[str] = Counter()
        self.num_short = self.num_rejected = 0
        self._values = values
        self.blueprint: Policy
        self._resolvers: Sequence[Resolver]
        if table is not None:
            self.blueprint, self._resolvers = self._on_public_form(table, values)
        elif self.tree is None:
            self.blueprint = UniformPolicy() if given is None else given
            assert not isinstance(values, TransformedValues)  # which have a tree
            self._resolvers = self._by_rules(self.blueprint, values)
        else:
            self.blueprint, self._resolvers = self._on_tree(self.tree, given, values)

    def _on_public_form(
        self, blueprint: TabularPolicy, values: object
    ) -> tuple[TabularPolicy, Sequence[Resolver]]:
        """Return the blueprint, and the searches of both players on its public form."""
        form = as_public_form(blueprint.form)
        if form.constant_sum is None:
            raise UnsupportedGameError(
                f"re-solving needs a two-player constant-sum game, which {form.name} is not"
            )
        if self.resolving.leaf_rule != "choice":
            raise UnsupportedGameError(
                f'leaf_rule="{self.resolving.leaf_rule}" needs leaves at which players choose, '
                "but on a public form each hand has a value there; give build_tree(game), or omit "
                "leaf_rule"
            )
        if values is not None and (isinstance(values, KINDS_OF_VALUES) or not callable(values)):
            raise ParameterError(
                f"values={type(values).__name__} are values of histories; on a public form, give a "
                "function of a node and of ranges, such as infoset.evaluation.PublicContinuation"
            )
        return blueprint, [
            PublicResolver(form, player, blueprint, values, self.resolving) for player in range(2)
        ]

    def _on_tree(
        self, tree: GameTree, given: Policy | None, given_values: object
    ) -> tuple[TabularPolicy, Sequence[Resolver]]:
        """Return the blueprint as a table, and the searches of both players on the tree."""
        if not tree.sequence_form.is_two_player_constant_sum:
            raise UnsupportedGameError(
                f"re-solving needs a two-player constant-sum game, which {tree} is not"
            )
        check_same_game(tree, given.form) if isinstance(given, TabularPolicy) else None
        blueprint = tabular_blueprint(tree.sequence_form, given)
        both_choose = LEAF_RULES[self.resolving.leaf_rule].both_choose
        values = _tabular_values(tree, blueprint, given_values, both_choose)
        if values.tree is not tree:
            raise PolicyMismatchError("the values are for another tree; give those of this tree")
        _check_blueprint(values, (blueprint.digest, getattr(given, "digest", None)))
        if not np.isfinite(values.values).all():
            raise ParameterError("values has an entry that is NaN or infinite")
        by_range = given_values if isinstance(given_values, RangeValues) else None
        if by_range is not None and self.resolving.leaf_rule != "choice":
            raise UnsupportedGameError(
                f'leaf_rule="{self.resolving.leaf_rule}" needs leaves at which players choose, '
                f"but {type(by_range).__name__} gives each infostate there a value; omit leaf_rule"
            )
        parts = TreeParts(tree, self.resolving.depth)
        return blueprint, [
            TreeResolver(parts, player, blueprint, values, self.resolving, by_range)
            for player in range(2)
        ]

    def _by_rules(
        self,
        blueprint: Policy,
        values: ContinuationValues | RangeValues | ContinuationFunction | None,
    ) -> Sequence[Resolver]:
        """Return the searches of both players by the rules."""
        game, settings = self.model.game, self.resolving
        assert isinstance(game, Game)  # a form without rules has a tree
        if values is None and (settings.depth is not None or settings.gadget != "none"):
            raise ParameterError(
                f"without a tree of {game}, a search needs values of histories at its root and at "
                "its depth limit: give values, such as a critic (train_critic) or a function; or "
                'search to the end without them by depth=None, gadget="none", which is not safe'
            )
        if isinstance(values, RangeValues):
            raise UnsupportedGameError(
                f"values={type(values).__name__} gives values by range, which need the tree of the "
                f"game; give the tree to which they belong as the model, or a critic for {game}"
            )
        if GADGETS[settings.gadget].uses_gifts:
            raise UnsupportedGameError(
                f'gadget="{settings.gadget}" needs the tree of the game; give gadget="max-margin" '
                f"for {game}"
            )
        if settings.depth is not None and LEAF_RULES[settings.leaf_rule].both_choose:
            raise UnsupportedGameError(
                f'leaf_rule="{settings.leaf_rule}" needs values of all pairs of continuations, '
                f"which come from the tree of the game; give build_tree(game) if it is small "
                f'enough, or leaf_rule="choice" for {game}'
            )
        if settings.opponent == "best_response":
            raise UnsupportedGameError(
                'opponent="best_response" needs the tree of the game; give opponent="previous" '
                f"for {game}"
            )
        if isinstance(values, ContinuationValues):
            _check_blueprint(values, (getattr(blueprint, "digest", None),))
        return [
            RulesResolver(game, player, blueprint, values, settings, self.seed)
            for player in range(2)
        ]

    def settings(self) -> dict[str, Any]:
        """Return the settings that determine the answers by name, with the blueprint's digest."""
        settings = self.resolving
        found: dict[str, Any] = {
            "depth": settings.depth,
            "gadget": settings.gadget,
            "opponent": settings.opponent,
            "leaf_rule": settings.leaf_rule,
            **self.budget.settings(),
            "blueprint": getattr(self.blueprint, "digest", type(self.blueprint).__name__),
            "values": "exact" if self._values is None else _name_of(self._values),
        }
        names = ("max_ends", "max_histories", "num_samples", "tolerance")
        return found | {name: getattr(settings, name) for name in names} | {"seed": self.seed}

    def search(self, infostate: Infostate, rng: np.random.Generator) -> FloatArray:
        """Return [A] the probability of each legal action; the generator is not used.

        Where chance and the opponent's play cannot lead with the searcher's own range, this is the
        blueprint; where a solution is not played, the fallback.

        Raises
        ------
        UnknownNameError
            If no play leads to the infostate.
        ParameterError
            If its player does not act there, or leaf values are not finite.
        UserFunctionError
            If the values or the blueprint of the user raise an exception.
        """
        check_generator(rng)
        start, compiled_before = working_seconds(), compiling_seconds()
        try:
            answer = self._resolvers[infostate.player].answer(infostate)
        except UserFunctionError as error:
            raise UserFunctionError(f"{error}, searching at {infostate}") from error.__cause__
        actions = answer.actions or self.model.require_legal_actions(infostate)
        policy = answer.policy
        if policy is None:
            policy = checked_probabilities(self.blueprint, infostate, actions)
        self.last_search = ResolvingRecord(
            actions=actions,
            values=np.full(len(actions), np.nan),
            seconds=working_seconds() - start,
            time_limit=self.budget.seconds,
            compile_seconds=compiling_seconds() - compiled_before,
            method=answer.method,
            is_rejected=answer.is_rejected,
            is_carried=answer.is_carried,
            weight_share=answer.weight_share,
            num_nodes=answer.num_nodes,
            num_histories=answer.num_histories,
            num_ends=answer.num_ends,
            num_iterations=answer.num_iterations,
            max_iterations=self.budget.number,
        )
        self.methods[answer.method] += 1
        self.num_short += 0 < answer.num_iterations < MIN_ITERATIONS
        self.num_rejected += answer.is_rejected
        self._note_search(self.last_search, answer.num_iterations, "iteration")
        return policy

    def _answer(self, infostate: Infostate, legal_actions: Sequence[Action]) -> FloatArray:
        # The search finds the legal actions itself, by rules much faster than the model does.
        policy = self.search(infostate, infostate_generator(self.seed, infostate))
        assert self.last_search is not None
        self._check_actions(infostate, legal_actions, self.last_search.actions)
        return policy

    def notes(self) -> list[str]:
        """Return what a report should mention, such as decisions of the blueprint."""
        methods, found = self.methods, super().notes()
        if methods.total() > methods["complete"]:
            found.append(
                f"of {methods.total():,} decisions, {methods['complete']:,} searched all histories "
                f"of the public state, {methods['sample']:,} searched a sample of them, "
                f"{methods['earlier']:,} were those of an earlier search, and "
                f"{methods['blueprint']:,} were those of the blueprint"
            )
        if self.num_short:
            found.append(
                f"searches with fewer than {MIN_ITERATIONS} iterations, whose solutions were not "
                f"played: {self.num_short:,}"
            )
        if self.num_rejected:
            found.append(
                "solutions that were rejected because the opponent could gain by them: "
                f"{self.num_rejected:,}"
            )
        return found

    def search_policy(self) -> TabularPolicy:
        """Return the policy of both players at all public states, by one search at each.

        Raises
        ------
        UnsupportedGameError
            If there is neither a tree nor a public form of the game.
        """
        resolvers = [own for own in self._resolvers if isinstance(own, PublicStateResolver)]
        if not resolvers or not isinstance(self.blueprint, TabularPolicy):
            raise UnsupportedGameError(
                f"a policy of all infostates needs the tree or the public form of "
                f"{self.model.game}; give build_tree(game) or build_public_form(game) if it is "
                "small enough"
            )
        return TabularPolicy(self.blueprint.form, whole_policies(resolvers))


def _tree_of(model: SearchedGame, values: object) -> GameTree | None:
    """Return the tree on which to search; None to search by the rules."""
    tree = model.tree
    if isinstance(values, TransformedValues):
        return values.tree if tree is None else tree
    if isinstance(values, RangeValues):
        return tree  # no new one, to which they would not belong
    is_tabulated = values is None or isinstance(values, TabulatedValues)
    if tree is not None or not is_tabulated or not model.is_compiled:
        return tree if is_tabulated else None
    assert isinstance(model.game, Game)
    try:
        graph = build_world_graph(model.game, max_worlds=MAX_HISTORIES // 10)
    except ExplorationLimitError:
        return None
    is_small = count_histories(graph).histories <= MAX_HISTORIES
    return unroll(graph) if is_small else None


def _are_exact(values: object, blueprint: TabularPolicy | None) -> bool:
    """Return whether values are exactly those of the blueprint, and neither learned nor custom."""
    if isinstance(values, PublicContinuation) and blueprint is not None:
        return values.policy.digest == blueprint.digest
    return values is None or isinstance(values, TransformedValues | ExactContinuationValues)


def _name_of(values: object) -> str:
    """Return the text that stands for values among the settings."""
    return str(getattr(values, "name", type(values).__name__))


def _public_form_of(model: object, blueprint: object) -> PublicForm | None:
    """Return the public form on which to search: the one given, or that of the blueprint."""
    if isinstance(model, Form):
        return as_public_form(model)
    if isinstance(blueprint, SolveResult):
        blueprint = blueprint.policy
    if isinstance(blueprint, TabularPolicy):
        with suppress(UnsupportedGameError):
            return as_public_form(blueprint.form)
    return None


def _tabular_values(
    tree: GameTree, blueprint: TabularPolicy, values: object, pairs: bool
) -> TransformedValues:
    """Return the values of all histories of a tree; by default exact ones."""
    if values is None:
        return transformed_values(tree, blueprint, TRANSFORMATIONS, pairs=pairs)
    found = values.tabulate(tree) if isinstance(values, TabulatedValues) else values
    assert isinstance(found, TransformedValues)  # there is no tree for others
    return found


def _check_blueprint(values: object, digests: Sequence[str | None]) -> None:
    """Raise unless values are for one of the blueprints with some digests, if both are known."""
    own = set(getattr(values, "blueprints", ()))
    known = {digest for digest in digests if digest is not None}
    if own and known and not own & known:
        raise PolicyMismatchError(
            "the values are for another blueprint; train a critic for this blueprint, or omit "
            "values for exact ones"
        )


class DepthLimitedSearch(ContinualResolving):
    """Depth-limited search: each decision alone, with the ranges of the blueprint.

    Parameters and errors are those of `ContinualResolving`. There are no earlier searches, so that
    `previous` is the same as `transformations`.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> search = DepthLimitedSearch(build_tree(load_game("kuhn_poker")), depth=None)
    >>> search.settings()["opponent"]
    'previous'
    """

    is_continual = False
