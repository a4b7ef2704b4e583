"""Drawn fleets of battleship, against complete lists on small boards."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.beliefs import private_belief
from infoset.game import initial_history
from infoset.games import battleship_fleets, load_game
from infoset.games.fleet_sampling import HIT, SUNK, WATER, FleetSampler

pytestmark = pytest.mark.broad

GAMES = [
    "battleship(board_width=3,board_height=3,ship_sizes=[2;1],ship_values=[1;1],num_shots=4)",
    "battleship(board_width=3,board_height=3,ship_sizes=[2;2],ship_values=[1;1],num_shots=-1,"
    "allow_repeated_shots=False,payoff=win_loss)",
    "battleship(board_width=4,board_height=2,ship_sizes=[3;1],ship_values=[2;1],num_shots=5,"
    "allow_repeated_shots=True)",
    "battleship(board_width=2,board_height=2,ship_sizes=[2;2],ship_values=[1;1],num_shots=3)",
]
NUM_DRAWS = 6_000


def drawing(name, monkeypatch):
    """Return a game that draws fleets, although there are few."""
    monkeypatch.setattr(battleship_fleets, "MAX_FLEETS", 0)
    game = load_game(name)
    assert game._fleets.all_fleets is None
    return game


def random_play(game, rng):
    """Return the infostates of both players, and the public state, after each transition."""
    history, found = initial_history(game), []
    while not history.is_terminal:
        chosen = {p: rng.choice(history.legal_actions(p)) for p in history.actors}
        history = history.sample(history.joint(chosen), rng)
        found += [*history.infostates, history.public_state]
    return found


@pytest.mark.parametrize("name", GAMES)
def test_weights_count_each_history_once_on_average(name, monkeypatch):
    listing = load_game(name)
    assert listing._fleets.all_fleets is not None
    rng = np.random.default_rng(5)
    seen = [known for _ in range(6) for known in random_play(listing, rng)]
    checked = 0
    game = drawing(name, monkeypatch)
    for known in rng.permutation(np.array(seen, dtype=object))[:14]:
        moves = listing.histories_as_seen(known, 100)
        if moves is None:
            continue
        assert game.histories_as_seen(known, 100) is None
        drawn, weight = game.sample_histories_as_seen(known, NUM_DRAWS, rng)
        assert len(drawn) == len(weight) <= NUM_DRAWS
        total: dict[bytes, list[float]] = {row.tobytes(): [] for row in moves.astype(np.int16)}
        for row, one in zip(drawn.astype(np.int16), weight.tolist(), strict=True):
            total[row.tobytes()].append(one)  # a KeyError is a history that does not agree
        for weights in total.values():
            error = np.sqrt(np.sum(np.square(weights)))
            assert abs(sum(weights) - 1) < 5 * error + 1e-9
            assert error < 0.2
        checked += len(moves) > 2
    assert checked > 4


@pytest.mark.parametrize("name", GAMES[:2])
def test_impossible_information_draws_nothing(name, monkeypatch):
    """Where the list is empty, nothing is drawn."""
    game, rng = drawing(name, monkeypatch), np.random.default_rng(0)
    known = random_play(game, rng)
    public = [one for one in known if not hasattr(one, "steps")][-1]
    last = public.observations[-1]
    for wrong in (WATER, HIT, SUNK):
        changed = type(public)((*public.observations[:-1], (last[0], wrong)))
        listing = load_game(name)
        monkeypatch.setattr(battleship_fleets, "MAX_FLEETS", 50_000)
        exact = listing.histories_as_seen(changed, 10**6)
        drawn = game.sample_histories_as_seen(changed, 300, rng)
        assert (drawn is None) == (exact is None or not len(exact))


def test_a_fleet_is_drawn_by_the_hits_that_it_explains():
    ships = [{"a": 0b011, "b": 0b110}, {"c": 0b001, "d": 0b100}]
    sampler = FleetSampler(ships, [(0b010, HIT)], is_last=False)
    rng = np.random.default_rng(0)
    drawn = [sampler.draw(rng) for _ in range(2000)]
    # The hit is covered by the first ship in two ways, each of which leaves one cell.
    assert {tuple(fleet) for fleet, _ in drawn} == {(0, 1), (1, 0)}
    assert {weight for _, weight in drawn} == {2.0}
    sunk = FleetSampler(ships, [(0b001, SUNK)], is_last=False)
    assert {tuple(found[0]) for found in map(sunk.draw, [rng] * 50) if found} == {(1, 0)}
    everything = [(0b010, HIT), (0b001, SUNK), (0b100, SUNK)]
    assert FleetSampler(ships, everything, is_last=False).draw(rng) is None
    ended = FleetSampler(ships, everything, is_last=True)
    assert {(*fleet, weight) for fleet, weight in map(ended.draw, [rng] * 50)} == {
        (0, 1, 2.0),
        (1, 0, 2.0),
    }


def test_every_decision_on_a_large_board_has_a_belief():
    game = load_game("battleship")
    assert game._fleets.all_fleets is None
    rng = np.random.default_rng(3)
    history, number = initial_history(game), 0
    while not history.is_terminal:
        chosen = {p: rng.choice(history.legal_actions(p)) for p in history.actors}
        if number % 17 == 16:
            (player,) = history.actors
            known = history.infostates[player]
            belief = private_belief(game, known, num_samples=12, max_worlds=100, rng=rng)
            assert len(belief.worlds) >= 10
            assert all(h.infostates[player] == known for h in belief.histories)
        history, number = history.sample(history.joint(chosen), rng), number + 1
    assert number > 80
