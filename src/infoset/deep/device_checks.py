"""Comparison of a device game with the rules of the same game in Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import jax
import numpy as np
from jax import Array
from numpy.typing import NDArray
from scipy.stats import chi2

from infoset.deep.device_games import OVER, DeviceGame, State
from infoset.errors import GameRuleError, ParameterError
from infoset.game import Game, History, Infostate, initial_history
from infoset.typing import Action, Player
from infoset.utils.arguments import check_count, check_type

MAX_OUTCOMES = 100_000
"""Largest number of outcomes of chance moves in a row that are listed."""

FALSE_ALARM = 1e-9
"""Probability with which the frequencies of one chance move of a correct game are rejected."""

MIN_EXPECTED = 10
"""Outcomes that are expected less often than this are pooled in the test of frequencies."""

TOLERANCE = 1e-5
"""Relative difference of rewards that is attributed to rounding in single precision."""


@dataclass(frozen=True)
class DeviceGameReport:
    """What `check_device_game` compared."""

    num_states: int
    """Number of states of the device game."""
    num_steps: int
    """Number of pairs of a state and an action."""
    is_exhaustive: bool
    """Whether these are all states that can be reached; otherwise they were sampled."""


class Look(NamedTuple):
    """What the functions of a device game return for M states; see `DeviceGame`."""

    actor: NDArray[np.int32]
    legal: NDArray[np.bool_]
    rows: NDArray[np.float32]
    observed: NDArray[np.float32]


Key: TypeAlias = tuple[bytes, ...] | tuple[()]
"""What identifies a group of histories: the rows of the players who have not chosen, or nothing at
the end of a play."""


@dataclass
class Group:
    """Histories that no player distinguishes, and choices already made in a simultaneous move."""

    histories: list[History]
    """Histories with the same infostates of all players."""
    pending: dict[Player, Action] = field(default_factory=dict)
    """The choices of players who act simultaneously."""
    rewards: list[tuple[float, ...]] = field(default_factory=list)
    """Rewards of each history since the last decision."""
    probability: float = 0.0
    """Probability given the decision before."""


class Case(NamedTuple):
    """A state of the device game, and the histories to which it belongs."""

    state: State
    group: Group


def check_device_game(
    device: DeviceGame,
    game: Game,
    *,
    max_steps: int = 5_000,
    num_draws: int = 1024,
    seed: int = 0,
) -> DeviceGameReport:
    """Raise if a device game differs from the rules of the game in Python.

    Both games are played side by side, from the deal to the end, through all states or, where there
    are more, through a random sample of each depth. At every state these must agree:

    - who acts, and the legal actions;
    - the observation of the actor, and the rows of all players, which must be equal to `encode` of
      the infostates. An observation is then a function of the infostate alone: a difference is a
      leak of hidden information, or an error of `encode`;
    - `decode` of the observation and the infostate. A difference means that two infostates may have
      the same observation (a merge);
    - the states after each action, the rewards, and the frequencies of chance outcomes.

    Parameters
    ----------
    game
        The same game in Python.
    max_steps
        Maximum number of pairs of a state and an action at each depth. If no depth has more, the
        check is exhaustive.
    num_draws
        Number of keys for each chance move.

    Raises
    ------
    GameRuleError
        If the games differ. The message names the history, what the device game returned and what
        the rule is.
    ParameterError
        If an argument is invalid, or chance moves have too many outcomes to be listed.

    Notes
    -----
    A correct game is rejected with probability 1e-9 per chance move. Frequencies are not tested for
    histories that no player distinguishes and that have several states, such as those with a card
    that nobody has seen; the outcomes themselves are.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.deep.rules import device_game
    >>> game = load_game("kuhn_poker")
    >>> check_device_game(device_game(game), game).is_exhaustive
    True
    """
    check_type("device", device, DeviceGame, "a DeviceGame, such as device_game('kuhn_poker')")
    check_type("game", game, Game, "a Game, such as load_game('kuhn_poker')")
    check_count("max_steps", max_steps, minimum=1)
    check_count("num_draws", num_draws, minimum=1)
    check_count("seed", seed)
    if device.num_players != game.num_players:
        raise GameRuleError(
            "both games have the same number of players",
            found=f"the device game has {device.num_players} players, {game} {game.num_players}",
        )
    return _Comparison(device, game, max_steps, num_draws, seed).run()


class _Comparison:
    """The state of a comparison: compiled functions of the device game, random numbers, counts."""

    def __init__(
        self, device: DeviceGame, game: Game, max_steps: int, num_draws: int, seed: int
    ) -> None:
        self._device, self._game = device, game
        self._max_steps, self._num_draws = max_steps, num_draws
        self._rng = np.random.default_rng(seed)
        self._actions = {action: number for number, action in enumerate(device.actions)}
        self._look = jax.jit(jax.vmap(_look, in_axes=(None, 0)))
        self._init = jax.jit(jax.vmap(type(device).init, in_axes=(None, 0)))
        self._step = jax.jit(jax.vmap(type(device).step, in_axes=(None, 0, 0, 0)))

    def run(self) -> DeviceGameReport:
        """Compare the games depth by depth."""
        cases = self._deals()
        num_states = num_steps = 0
        is_exhaustive = True
        for depth in range(self._device.horizon + 1):
            steps = list(self._check_states(cases, depth))
            num_states += len(cases)
            if len(steps) > self._max_steps:
                is_exhaustive = False
                chosen = self._rng.choice(len(steps), self._max_steps, replace=False)
                steps = [steps[place] for place in np.sort(chosen).tolist()]
            num_steps += len(steps)
            if not steps:
                break
            cases = self._after(steps)
        return DeviceGameReport(num_states, num_steps, is_exhaustive)

    def _deals(self) -> list[Case]:
        """Return the states at the first decision."""
        root = initial_history(self._game)
        groups = self._group(_settle([(root, 1.0)]), (0.0,) * root.game.num_players)
        keys = self._keys(self._num_draws)
        states = jax.tree.map(np.asarray, self._init(self._device, keys))
        rewards = np.zeros((self._num_draws, self._device.num_players), np.float32)
        return self._match(states, rewards, groups, "init")

    def _check_states(self, cases: Sequence[Case], depth: int) -> Iterator[tuple[Case, Action]]:
        """Compare actors, legal actions and observations; yield all pairs of case and action."""
        if not cases:
            return
        look = self._look_at(_stack([case.state for case in cases]))
        for place, case in enumerate(cases):
            history, pending = case.group.histories[0], case.group.pending
            waiting = [player for player in history.actors if player not in pending]
            actor = waiting[0] if waiting else OVER
            if look.actor[place] != actor:
                raise self._error(
                    f"actor returns the player who decides, and {OVER} at the end",
                    f"actor returns {look.actor[place]} instead of {actor}",
                    history,
                )
            if actor == OVER:
                continue
            if depth == self._device.horizon:
                raise self._error(
                    "horizon is the maximum number of decisions",
                    f"a play continues after {depth} decisions",
                    history,
                )
            self._check_legal(look.legal[place], history, actor)
            self._check_observation(look.observed[place], history.infostates[actor])
            for action in history.legal_actions(actor):
                yield case, action

    def _check_legal(self, legal: NDArray[np.bool_], history: History, actor: Player) -> None:
        found = {self._device.actions[number] for number in np.flatnonzero(legal)}
        expected = set(history.legal_actions(actor))
        if found != expected:
            raise self._error(
                "legal has the legal actions of the actor",
                f"missing {sorted(map(str, expected - found))}, "
                f"too many {sorted(map(str, found - expected))}",
                history,
            )

    def _check_observation(self, observed: NDArray[np.float32], infostate: Infostate) -> None:
        expected = self._encode(infostate)
        if not np.array_equal(observed, expected):
            raise self._difference("observe", observed, expected, infostate)
        if self._device.is_binary and not np.isin(expected, (0, 1)).all():
            raise self._error(
                "all entries of observations are 0 or 1 if is_binary is true",
                f"the observation at {infostate} has the entries {np.unique(expected).tolist()}",
                None,
            )
        decoded = self._device.decode(expected)
        if decoded != infostate:
            raise self._error(
                "different infostates have different observations (a difference is a merge)",
                f"the observation at {infostate} is decoded as {decoded}",
                None,
            )

    def _after(self, steps: Sequence[tuple[Case, Action]]) -> list[Case]:
        """Return the cases after steps."""
        groups = [self._successors(case, action) for case, action in steps]
        # Without chance two draws: a state that depends on its key is then seen as two states.
        counts = [self._num_draws if len(group) > 1 else 2 for group in groups]
        cases: list[Case] = []
        first = 0
        while first < len(steps):
            # Chunks of bounded size, each with at least one step.
            last = first + 1
            while last < len(steps) and sum(counts[first : last + 1]) <= 1 << 15:
                last += 1
            cases += self._chunk_after(
                steps[first:last], groups[first:last], np.array(counts[first:last])
            )
            first = last
        return cases

    def _chunk_after(
        self,
        steps: Sequence[tuple[Case, Action]],
        groups: Sequence[dict[Key, Group]],
        counts: NDArray[np.int64],
    ) -> list[Case]:
        of_step = np.repeat(np.arange(len(steps)), counts)
        # `resize` repeats the first steps, whose results are cut off again.
        padded = np.resize(of_step, _padded(len(of_step)))
        states = jax.tree.map(lambda leaf: leaf[padded], _stack([case.state for case, _ in steps]))
        actions = np.array([self._actions[action] for _, action in steps], np.int32)[padded]
        after, rewards = self._step(self._device, states, actions, self._keys(len(padded)))
        after = jax.tree.map(lambda leaf: np.asarray(leaf)[: len(of_step)], after)
        rewards = np.asarray(rewards)[: len(of_step)]
        cases, begin = [], 0
        for (case, action), group, count in zip(steps, groups, counts.tolist(), strict=True):
            part = slice(begin, begin + count)
            mine = jax.tree.map(lambda leaf, part=part: leaf[part], after)
            where = f"step by {action!r} at {case.group.histories[0]!r}"
            cases += self._match(mine, rewards[part], group, where)
            begin += count
        return cases

    def _successors(self, case: Case, action: Action) -> dict[Key, Group]:
        """Return the groups of histories after an action, by key."""
        histories, pending = case.group.histories, case.group.pending
        waiting = [player for player in histories[0].actors if player not in pending]
        chosen = {**pending, waiting[0]: action}
        if len(waiting) > 1:
            # Others still have to choose: the histories stay, and no reward is due yet.
            nothing = (0.0,) * self._device.num_players
            unchanged = Group(histories, chosen, [nothing] * len(histories), 1.0)
            return {self._key(histories[0], chosen): unchanged}
        found: dict[Key, Group] = {}
        for history in histories:
            joint = history.joint(chosen)
            outcomes = [
                (history.extend(joint, world), float(Fraction(chance)))
                for world, chance in history.outcomes(joint)
            ]
            for key, group in self._group(_settle(outcomes), history.rewards_so_far).items():
                into = found.setdefault(key, Group([]))
                into.histories += group.histories
                into.rewards += group.rewards
                into.probability += group.probability / len(histories)
        return found

    def _group(
        self, outcomes: Sequence[tuple[History, float]], before: Sequence[float]
    ) -> dict[Key, Group]:
        groups: dict[Key, Group] = {}
        for history, chance in outcomes:
            group = groups.setdefault(self._key(history, {}), Group([]))
            group.histories.append(history)
            earned = zip(history.rewards_so_far, before, strict=True)
            group.rewards.append(tuple(float(now - then) for now, then in earned))
            group.probability += chance
        return groups

    def _key(self, history: History, pending: dict[Player, Action]) -> Key:
        if not history.actors:
            return ()
        return tuple(
            b"" if infostate.player in pending else self._encode(infostate).tobytes()
            for infostate in history.infostates
        )

    def _match(
        self, states: State, rewards: NDArray[np.float32], groups: dict[Key, Group], where: str
    ) -> list[Case]:
        """Return the different states, each with its group; compare rewards and frequencies."""
        representatives, number = _unique_rows([*jax.tree.leaves(states), rewards])
        states = jax.tree.map(lambda leaf: leaf[representatives], states)
        rewards, frequency = rewards[representatives], np.bincount(number)
        look = self._look_at(states)
        pending = next(iter(groups.values())).pending
        counts: dict[Key, int] = {}
        found: list[tuple[int, Key]] = []
        for place in range(len(rewards)):
            key = self._state_key(look, place, pending)
            if key not in groups:
                raise self._unknown(look, place, groups, where)
            self._check_rewards(rewards[place], groups[key], where)
            counts[key] = counts.get(key, 0) + int(frequency[place])
            found.append((place, key))
        # One state per group: otherwise the probabilities within a group are not known.
        if len(groups) > 1 and len(counts) == len(found):
            self._check_frequencies(counts, groups, len(number), where)
        return [
            Case(jax.tree.map(lambda leaf, place=place: leaf[place], states), groups[key])
            for place, key in found
        ]

    def _state_key(self, look: Look, place: int, pending: dict[Player, Action]) -> Key:
        if look.actor[place] == OVER:
            return ()
        return tuple(
            b"" if player in pending else row.tobytes()
            for player, row in enumerate(look.rows[place])
        )

    def _unknown(
        self, look: Look, place: int, groups: dict[Key, Group], where: str
    ) -> GameRuleError:
        """Return the error for a state that belongs to no history."""
        if look.actor[place] == OVER:
            return GameRuleError(
                "a play ends when it ends by the rules in Python",
                found=f"after {where}, the play has ended in the device game",
            )
        rows = look.rows[place]
        expected = [group.histories[0] for key, group in groups.items() if key]
        if not expected:
            return GameRuleError(
                "a play ends when it ends by the rules in Python",
                found=f"after {where}, the play continues in the device game",
            )
        history, right = min(
            ((history, np.stack([*map(self._encode, history.infostates)])) for history in expected),
            key=lambda pair: int((pair[1] != rows).sum()),
        )
        player = int((right != rows).any(axis=1).argmax())
        return self._difference(
            f"after {where}, observe_all", rows[player], right[player], history.infostates[player]
        )

    def _check_rewards(self, rewards: NDArray[np.float32], group: Group, where: str) -> None:
        for expected in group.rewards:
            if np.allclose(rewards, expected, rtol=TOLERANCE, atol=TOLERANCE):
                return
        raise GameRuleError(
            "step returns the rewards since the last decision",
            found=f"{where} returns the rewards {rewards.tolist()} instead of "
            f"{list(group.rewards[0])}",
        )

    def _check_frequencies(
        self, counts: dict[Key, int], groups: dict[Key, Group], total: int, where: str
    ) -> None:
        """Compare the frequencies of outcomes with their probabilities by a chi-square test."""
        expected = np.array([total * group.probability for group in groups.values()])
        found = np.array([counts.get(key, 0) for key in groups], float)
        # The distribution of the statistic is that of chi-square only for frequent outcomes.
        is_rare = expected < MIN_EXPECTED
        if is_rare.any():
            expected = np.append(expected[~is_rare], expected[is_rare].sum())
            found = np.append(found[~is_rare], found[is_rare].sum())
        statistic = ((found - expected) ** 2 / expected).sum()
        if statistic > chi2.isf(FALSE_ALARM, max(1, len(found) - 1)):
            worst = int(np.argmax((found - expected) ** 2 / expected))
            raise GameRuleError(
                "chance outcomes have the probabilities of the rules in Python",
                found=f"after {where}, one of {len(found)} outcomes has frequency "
                f"{found[worst] / total:.3g} instead of probability {expected[worst] / total:.3g}",
            )

    def _difference(
        self,
        function: str,
        found: NDArray[np.float32],
        expected: NDArray[np.float32],
        infostate: Infostate,
    ) -> GameRuleError:
        places = np.flatnonzero(found != expected).tolist()
        return GameRuleError(
            "observations are the encodings of infostates, which depend on nothing else (a "
            "difference is a leak, or an error of encode)",
            found=f"{function} differs from encode({infostate}) of player {infostate.player} in "
            f"entries {places[:10]}{'...' if len(places) > 10 else ''}",
        )

    def _error(self, rule: str, found: str, history: History | None) -> GameRuleError:
        at = "" if history is None else f" after {history!r}"
        return GameRuleError(rule, found=found + at)

    def _encode(self, infostate: Infostate) -> NDArray[np.float32]:
        encoded = np.asarray(self._device.encode(infostate), np.float32)
        if encoded.shape != (self._device.num_features,):
            raise ParameterError(
                f"encode({infostate}) has shape {encoded.shape}; it must have num_features="
                f"{self._device.num_features} entries"
            )
        return encoded

    def _look_at(self, states: State) -> Look:
        count = len(jax.tree.leaves(states)[0])
        padded = np.resize(np.arange(count), _padded(count))
        found = self._look(self._device, jax.tree.map(lambda leaf: leaf[padded], states))
        return Look(*(np.asarray(part)[:count] for part in found))

    def _keys(self, count: int) -> Array:
        return jax.random.split(jax.random.key(int(self._rng.integers(1 << 31))), count)


def _look(device: DeviceGame, state: State) -> tuple[Array, Array, Array, Array]:
    rows = device.observe_all(state)
    return device.actor(state), device.legal(state), rows, device.observe(state)


def _unique_rows(leaves: Sequence[NDArray[Any]]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first place of each different row of arrays [M, ...], and of each row its number.

    Rows are compared by their bits.
    """
    # All leaves of a state as the bytes of one row, which `np.unique` compares as a whole.
    bits = [np.ascontiguousarray(leaf).reshape(len(leaf), -1).view(np.uint8) for leaf in leaves]
    rows = np.concatenate(bits, axis=1)
    keys = rows.view(np.dtype((np.void, rows.shape[1])))[:, 0]
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    return first, number


def _padded(count: int) -> int:
    """Return the size to which a batch is padded, one of few, since each size is compiled."""
    size = 64
    while size < count:
        size *= 4
    return size


def _stack(states: Sequence[State]) -> Any:
    return jax.tree.map(lambda *leaves: np.stack(leaves), *states)


def _settle(outcomes: Sequence[tuple[History, float]]) -> list[tuple[History, float]]:
    """Return the histories after all chance moves, with their probabilities.

    Raises
    ------
    ParameterError
        If there are too many.
    """
    settled, open_ = [], list(outcomes)
    while open_:
        history, probability = open_.pop()
        chance = history.chance_outcomes
        if history.actors or not chance:
            settled.append((history, probability))
            continue
        joint = (None,) * history.game.num_players
        open_ += [
            (history.extend(joint, world), probability * float(Fraction(weight)))
            for world, weight in chance
        ]
        if len(open_) + len(settled) > MAX_OUTCOMES:
            raise ParameterError(
                f"chance moves at {history!r} have more than {MAX_OUTCOMES:,} outcomes; check the "
                "device game on a smaller version of the game"
            )
    return settled
