"""Infostates as arrays of zeros and ones, without loss of information."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given

from infoset.errors import CyclicGameError, ParameterError, UnknownNameError
from infoset.game import Infostate, Step
from infoset.games import load_game
from infoset.tree import ENCODING_VERSION, InfostateEncoder, build_tree, build_world_graph
from tests.support.function_game import FunctionGame
from tests.support.hypothesis_strategies import random_games
from tests.support.reference_histories import enumerate_histories


@given(game=random_games())
def test_nothing_is_lost(game):
    encoder = InfostateEncoder.from_graph(build_world_graph(game))
    longest = 0
    for visit in enumerate_histories(game):
        longest = max(longest, visit.history.depth)
        for infostate in visit.history.infostates:
            array = encoder(infostate)
            assert (array.shape, array.dtype) == ((encoder.size,), np.float32)
            assert set(np.unique(array)) <= {0, 1}
            assert encoder.decode(array) == infostate
    assert encoder.max_steps == longest


def test_histories_are_encoded_as_the_infostates_of_all_players():
    tree = build_tree(load_game("kuhn_poker"))
    encoder = InfostateEncoder.from_graph(tree.graph)
    some = np.array([0, 3, 20, tree.num_histories - 1])
    found = encoder.histories(tree, some)
    assert found.shape == (4, 2, encoder.size)
    for rows, history in zip(found, some.tolist(), strict=True):
        for player, row in enumerate(rows):
            own = tree.infostate_trees[player]
            assert encoder.decode(row) == own.infostate_at(int(tree.infostate[history, player]))
    # Each deal and each sequence of moves is observed by somebody.
    everything = encoder.histories(tree, np.arange(tree.num_histories)).reshape(55, -1)
    assert len(np.unique(everything, axis=0)) == tree.num_histories


def test_the_labels_of_kuhn_poker():
    encoder = InfostateEncoder.from_graph(build_world_graph(load_game("kuhn_poker")))
    assert encoder.actions == ("pass", "bet")
    assert encoder.private_observations == ("J", "Q", "K")
    assert encoder.public_observations[:2] == ("pass", "bet")
    assert encoder.max_steps == 4
    assert encoder.size == 2 + 4 * (1 + 2 + 3 + len(encoder.public_observations))


def test_what_an_encoder_does_not_know():
    encoder = InfostateEncoder(2, ("pass", "bet"), ("J",), ("pass", "bet"), max_steps=1)
    start = Infostate(1)
    assert encoder(start).tolist() == [0, 1, *[0] * 6]
    with pytest.raises(UnknownNameError, match="the encoder has no private observation 'Q'"):
        encoder(start.extend(Step(None, "Q", None)))
    with pytest.raises(UnknownNameError, match="the encoder has no action 'bett'; did you mean"):
        encoder(start.extend(Step("bett", None, None)))
    with pytest.raises(ParameterError, match="has 2 steps, more than max_steps=1"):
        encoder(start.extend(Step("bet", None, None)).extend(Step("bet", None, None)))


def test_a_game_without_end():
    with pytest.raises(CyclicGameError):
        InfostateEncoder.from_graph(
            build_world_graph(FunctionGame(transitions=lambda world, joint: [("start", 1)]))
        )


@pytest.mark.parametrize(
    ("name", "digest"),
    [
        ("kuhn_poker", "feac7ba928819f1a"),
        ("leduc_poker", "607fb52d66b3b370"),
        ("goofspiel(num_cards=3,imp_info=True)", "a1ac8587a6e2257f"),
    ],
)
def test_encodings_change_only_with_their_version(name, digest):
    assert ENCODING_VERSION == 1
    tree = build_tree(load_game(name))
    encoder = InfostateEncoder.from_graph(tree.graph)
    arrays = [
        encoder(own.infostate_at(number))
        for own in tree.infostate_trees
        for number in own.acting.tolist()
    ]
    labels = repr((encoder.actions, encoder.private_observations, encoder.public_observations))
    packed = np.packbits(np.stack(arrays).astype(bool)).tobytes()
    assert sha256(labels.encode() + packed).hexdigest()[:16] == digest


def test_arrays_that_encode_nothing_are_refused():
    encoder = InfostateEncoder.from_graph(build_world_graph(load_game("kuhn_poker")))
    for array in (np.zeros(encoder.size), np.ones(encoder.size), np.zeros(3)):
        with pytest.raises(ParameterError, match="not an encoding of this encoder"):
            encoder.decode(array)
