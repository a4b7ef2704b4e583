"""Layouts and treeplexes of public forms, against those that list all infostates."""

import numpy as np
import pytest

import infoset
from infoset.forms._treeplex_kernels import max_roundings, own_depths
from infoset.forms.treeplex import Treeplex, action_major_layout

GAMES = (
    "kuhn_poker",
    "leduc_poker",
    "liars_dice(dice_sides=4)",
    "nolimit_endgame(board=Ks9d8h4s,bets=[1],max_raises=1,ranges=['AK';'QQ,JTs'])",
    # Hearts and diamonds can be exchanged until one of them is dealt.
    "nolimit_endgame(board=7s9s9cTc,bets=[1],max_raises=1,ranges=['TT+,AQ';'77+,AT+'])",
)


@pytest.fixture(scope="module", params=GAMES)
def form(request):
    return infoset.build_public_form(request.param)


def listed(form, player):
    """Return the treeplex of a player, made infostate by infostate."""
    sequences, nodes = form.sequences[player], form.decisions[player].tolist()
    parent, first, count = [], [], []
    following = 1
    for node in nodes:
        classes = form.hand_classes[player][form.class_map[node]].tolist()
        last = int(sequences.last[node])
        above = form.places(player, np.array([last]))[0]
        for own in range(max(classes) + 1):
            parent.append(above[classes.index(own)])
            first.append(following)
            count.append(len(form.legal_actions(node)))
            following += count[-1]
    return Treeplex(*(np.array(column, np.int32) for column in (parent, first, count)), following)


@pytest.mark.parametrize("player", [0, 1])
def test_arrays_are_those_of_listed_infostates(form, player):
    plex, found = listed(form, player), form.treeplexes[player]
    assert (found.num_infostates, found.num_sequences) == (plex.num_infostates, plex.num_sequences)
    shape = plex.parent_sequence, plex.first_sequence, plex.num_actions
    np.testing.assert_array_equal(found.parent_sequence, shape[0])
    np.testing.assert_array_equal(found.first_sequence, shape[1])
    np.testing.assert_array_equal(found.num_actions, shape[2])
    np.testing.assert_array_equal(found.own_depth, own_depths(*shape, plex.num_sequences))
    assert found.plan_roundings == max_roundings(*shape, plex.num_sequences)
    layout, wanted = form.layouts[player], action_major_layout(plex, form.public_states[player])
    for name in ("groups", "parent", "position", "infostate", "blocks"):
        np.testing.assert_array_equal(getattr(layout, name), getattr(wanted, name), name)
        assert getattr(layout, name).dtype == getattr(wanted, name).dtype


@pytest.mark.parametrize("player", [0, 1])
def test_sweeps_have_the_bits_of_listed_infostates(form, player):
    plex, layout = listed(form, player), form.layouts[player]
    wanted = action_major_layout(plex, form.public_states[player])
    values = np.random.default_rng(player).standard_normal(plex.num_sequences)
    by_position = layout.to_positions(values)
    np.testing.assert_array_equal(by_position, wanted.to_positions(values))
    np.testing.assert_array_equal(layout.to_sequences(by_position), values)
    some = np.arange(0, plex.num_sequences, 3)
    np.testing.assert_array_equal(layout.positions(some), wanted.position[some])
    best = wanted.best_values(plex, by_position.copy())
    np.testing.assert_array_equal(layout.best_values(plex, by_position.copy()), best)


@pytest.mark.parametrize("player", [0, 1])
def test_additions_are_bounded_by_public_decisions(form, player):
    plex, runs, sequences = listed(form, player), form.runs[player], form.sequences[player]
    counts = np.random.default_rng(player).integers(0, 100, len(sequences.start))
    places = form.places(player, np.arange(len(counts)))
    by_sequence = np.zeros(plex.num_sequences, np.int64)
    by_sequence[places] = counts[:, None]
    number, bound = plex.max_additions(by_sequence), runs.max_additions(counts.copy())
    if form.symmetry is None:
        assert bound == number
    else:
        assert number <= bound <= 1.5 * number


@pytest.mark.parametrize("player", [0, 1])
def test_additions_are_those_on_the_longest_way_up(form, player):
    """Counted sequence by sequence: payoffs there, and infostates whose values are added there."""
    plex = listed(form, player)
    counts = np.random.default_rng(player).integers(0, 9, plex.num_sequences)
    sums = counts.tolist()
    children = np.bincount(plex.parent_sequence, minlength=plex.num_sequences)
    for infostate in reversed(range(plex.num_infostates)):
        first, parent = plex.first_sequence[infostate], plex.parent_sequence[infostate]
        actions = range(first, first + plex.num_actions[infostate])
        sums[parent] = max(sums[parent], *(sums[one] + children[one] for one in actions))
    assert plex.max_additions(counts) == sums[0] + children[0]


def test_hands_of_one_class_add_their_terminals():
    """A bound on rounding that counts each terminal once per hand, as before hands are merged."""
    merged = infoset.build_public_form(GAMES[-1])
    assert merged.symmetry is not None
    assert merged.rounding > 0
    for player in range(2):
        counts, terminals = merged._additions(player, 1), merged.terminal_sequence[:, player]
        classes = merged.hand_classes[player][merged.sequences[player].class_map[1:]]
        largest = np.array([np.bincount(row).max() for row in classes])
        assert largest.max() > 1
        np.testing.assert_array_equal(counts[1:], np.bincount(terminals)[1:] * largest)
        assert counts[0] == np.bincount(terminals)[0] * merged.num_hands[player]
