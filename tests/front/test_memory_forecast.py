"""The forecast of the memory of public forms, against the arrays that are really allocated."""

import tracemalloc

import pytest

import infoset
from infoset.errors import GameTooLargeError
from infoset.tree import count_public_form

pytestmark = pytest.mark.broad

TURN = (
    "nolimit_endgame(board=Ks9d8h4s,pot=4780,stack=17610,min_bet=100,bets=[1],raises=[1],"
    "max_raises=1)"
)
RIVER = (
    "nolimit_endgame(board=4s8hTc9h2s,pot=500,stack=19750,min_bet=100,bets=[0.33,0.5,1,2],"
    "raises=[0.5,1],max_raises=4)"
)


@pytest.mark.parametrize("precision", ["float64", "float32", "int16"])
@pytest.mark.parametrize("game", [RIVER, TURN, "leduc_poker(num_ranks=20)"])
def test_the_forecast_is_above_the_peak_and_close_to_it(game, precision):
    def solve():
        return infoset.solve(game, "dcfr+", form="public", iterations=3, precision=precision)

    solve()  # Kernels are loaded once, and are not part of the game.
    tracemalloc.start()
    try:
        solve()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    forecast = count_public_form(infoset.load(game).public_rules()).bytes_in(precision)
    assert peak <= forecast <= 1.5 * peak


def test_a_form_that_fits_in_single_precision_only_is_solved_in_it():
    counts = count_public_form(infoset.load("leduc_poker(num_ranks=20)").public_rules())
    assert infoset.info("leduc_poker(num_ranks=20)").public_form_bytes == counts.bytes
    memory = (counts.bytes + counts.bytes_in("float32")) // 2
    given = {"form": "public", "iterations": 1, "memory": memory}
    with pytest.raises(GameTooLargeError, match="its public form needs about"):
        infoset.solve("leduc_poker(num_ranks=20)", "cfr+", **given)
    infoset.solve("leduc_poker(num_ranks=20)", "cfr+", precision="float32", **given)
