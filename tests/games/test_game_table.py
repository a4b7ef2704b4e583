from pathlib import Path

import pytest
from game_walker import num_worlds, path_counts

from infoset.errors import ParameterError, UnknownNameError
from infoset.game import parameter_text
from infoset.games import GAMES, Goofspiel, KuhnPoker, LeducPoker, LiarsDice, game_entry, load_game

DOCS = Path(__file__).parents[2] / "docs"
INDEX = DOCS / "games.md"
PAGES = [INDEX, *sorted((DOCS / "games").glob("*.md"))]


@pytest.mark.parametrize(
    "game",
    [
        KuhnPoker(),
        KuhnPoker(players=10),
        LeducPoker(action_mapping=True, suit_isomorphism=True, starting_player=1),
        LeducPoker(players=3, num_ranks=13, num_suits=4, num_raises=0),
        LiarsDice(numdice=2, dice_sides=3, bidding_rule="reset-quantity"),
        Goofspiel(),
        Goofspiel(True, True, 5, 4, 3, "descending", "point_difference"),
    ],
)
def test_a_game_is_read_back_from_its_text(game):
    assert load_game(str(game)) == game


def test_a_text_says_only_what_is_not_the_default():
    assert str(load_game("kuhn_poker(players=2)")) == "kuhn_poker"
    spec = "goofspiel(points_order=descending, num_cards=5, imp_info=True, players=2)"
    assert str(load_game(spec)) == "goofspiel(imp_info=True,num_cards=5,points_order=descending)"


@pytest.mark.parametrize("name", [name for name in GAMES if name != "matrix_game"])
def test_every_row_loads_under_all_its_names(name):
    row = GAMES[name]
    game = load_game(name)
    assert all(load_game(alias) == game for alias in row.aliases)
    assert str(game) == name
    assert game_entry(name) is row
    assert row.summary


def test_plain_names_of_matrix_games():
    assert str(load_game("rock_paper_scissors")) == "matrix_rps"
    assert str(load_game("prisoners_dilemma()")) == "matrix_pd"


@pytest.mark.parametrize("row", GAMES.values(), ids=list(GAMES))
def test_every_parameter_is_explained(row):
    for parameter in row.parameters:
        assert parameter.meaning.endswith("."), parameter
        assert parameter.domain is None or parameter.default in parameter.domain


def test_additions_are_marked():
    added = {p.name for p in GAMES["leduc_poker"].parameters if p.is_addition}
    assert added == {"num_ranks", "num_suits", "num_raises"}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("kuhn_pokr", "unknown game 'kuhn_pokr'; did you mean kuhn_poker"),
        ("rock_paper_scisors", "did you mean rock_paper_scissors"),
        ("kuhn_poker(player=3)", "unknown parameter of kuhn_poker 'player'; did you mean players"),
        ("matrix_mp(players=2)", "unknown parameter of matrix_mp 'players'; none is known"),
    ],
)
def test_unknown_names_come_with_the_nearest(spec, message):
    with pytest.raises(UnknownNameError) as caught:
        load_game(spec)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("liars_dice(numdice=0)", "numdice=0 is not allowed"),
        ("kuhn_poker(players=two)", "players='two' is not allowed"),
        ("kuhn_poker(players=2.0)", "players=2.0 is not allowed"),
        ("goofspiel(imp_info=1)", "imp_info=1 is not allowed; imp_info must be True or False"),
        ("matrix_game", "matrix_game needs row_payoffs"),
        ("matrix_game(row_payoffs=1)", "row_payoffs must be a list of rows"),
        ("kuhn_poker(players=3", "cannot read the game"),
    ],
)
def test_bad_values(spec, message):
    with pytest.raises(ParameterError) as caught:
        load_game(spec)
    assert message in str(caught.value)


@pytest.mark.parametrize("row", GAMES.values(), ids=list(GAMES))
def test_the_page_on_games_lists_every_name_and_parameter(row):
    index = INDEX.read_text(encoding="utf-8")
    assert all(f"`{name}`" in index for name in (row.name, *row.aliases))
    heading = f"# `{row.name}`\n"
    (page,) = (text for page in PAGES if heading in (text := page.read_text(encoding="utf-8")))
    section = page[page.index(heading) :]
    for parameter in row.parameters:
        lines = [line for line in section.splitlines() if line.startswith(f"| `{parameter.name}`")]
        default = "required" if parameter.is_required else f"`{parameter_text(parameter.default)}`"
        assert lines[0].split("|")[2].strip() == default
        assert ("addition" in lines[0]) == parameter.is_addition


def rows_of_counts():
    """Read the tables of counts on the pages, but for rows too large for the plain oracle."""
    for line in "\n".join(page.read_text(encoding="utf-8") for page in PAGES).splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) >= 5 and cells[1].replace(",", "").isdigit():
            spec, counts = cells[0].strip("`"), [int(cell.replace(",", "")) for cell in cells[1:4]]
            if counts[0] < 100_000:
                yield pytest.param(spec, counts, id=spec)


@pytest.mark.parametrize(("spec", "counts"), list(rows_of_counts()))
def test_the_page_on_games_counts_right(spec, counts):
    game = load_game(spec)
    assert [num_worlds(game), *path_counts(game)] == counts


def payoff_tables():
    """Read the tables of payoffs on the page, by the name of the game."""
    page = INDEX.read_text(encoding="utf-8").replace("−", "-")
    for section in page.split("\n### ")[1:]:
        rows = [line for line in section.splitlines() if line.startswith("| **")]
        cells = [[cell.strip() for cell in row.strip("|").split("|")][1:] for row in rows]
        pairs = [[tuple(map(int, cell.split(","))) for cell in row] for row in cells]
        yield section.split("`")[1], pairs


@pytest.mark.parametrize(("name", "pairs"), list(payoff_tables()))
def test_the_page_on_games_shows_the_payoffs(name, pairs):
    game = load_game(name)
    rows = [[game.payoffs[r, c] for c in game.column_actions] for r in game.row_actions]
    assert rows == pairs
