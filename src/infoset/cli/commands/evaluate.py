"""`infoset evaluate`: value and exploitability of a policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast

import typer

from infoset.cli.leaks import GroupOption, LeaksOption, TopOption, show_leaks
from infoset.cli.options import (
    AnyPolicyArgument,
    JsonOption,
    OnOption,
    OptionalGameArgument,
    executor_of,
    game_and_policy,
)
from infoset.cli.progress import live
from infoset.cli.screen import (
    SEARCHER_NOTE,
    error_rows,
    error_text,
    number_text,
    print_json,
    print_table,
    say,
    say_equilibrium,
    tell,
    tell_notes,
    value_text,
)
from infoset.cli.tables import TextTable
from infoset.cli.teams import RuleOption, interval_text, parse_teams

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from infoset.efg import ExtensiveForm
    from infoset.evaluation import HandEvaluation
    from infoset.front import EvaluatedPolicy
    from infoset.game import Game
    from infoset.search import ExploitabilityBound
    from infoset.teams import PayoffRule

    Teams: TypeAlias = Sequence[tuple[int, ...]]

DEFAULT_DEALS = 1000

MAX_HANDS = 60
"""Number of hands of a player that a table shows."""

COLUMNS = ("hand", "probability", "value", "best_response_value", "gain")


def run(
    game: OptionalGameArgument = None,
    policy: AnyPolicyArgument = None,
    others: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[POLICIES]",
            help="Policies of the other players, one for each.",
            show_default="POLICY plays for all",
        ),
    ] = None,
    by_hand: Annotated[
        bool,
        typer.Option(
            "--by-hand",
            help="Print value, best response and gain of each hand, in a game with a public form.",
        ),
    ] = False,
    leaks: LeaksOption = False,
    top: TopOption = None,
    by: GroupOption = None,
    lower_bound: Annotated[
        bool,
        typer.Option(
            "--lower-bound",
            help="Bound exploitability from below, by matches against responses found by search; "
            "for games of any size.",
        ),
    ] = False,
    responder: Annotated[
        str | None,
        typer.Option(
            metavar="SEARCHER",
            help="With --lower-bound: the searcher that finds responses.",
            show_default="ismcts with 1,000 simulations",
        ),
    ] = None,
    deals: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            min=30,
            help="With --lower-bound: number of deals, each played in both positions.",
            show_default=f"{DEFAULT_DEALS:,}",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="With --lower-bound: random seed.", show_default="0"),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            min=1,
            help="With --lower-bound: number of processes.",
            show_default="1",
        ),
    ] = None,
    on: OnOption = None,
    teams: Annotated[
        Any,
        typer.Option(
            metavar="TEAMS",
            parser=parse_teams,
            help="Teams as lists of players counted from 0, such as 0,1/2: report the payoff and "
            "the security level of each team.",
            show_default=False,
        ),
    ] = None,
    rule: RuleOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure a policy exactly: values, gains of best responses, NashConv, exploitability.

    With one policy for each player, their play against each other is measured:
    the value, the security level and the gain of each.

    For a correlated policy, the gap from a coarse correlated equilibrium is measured instead of
    exploitability.

    With --leaks, NashConv is split into the losses of the decisions at all infostates.

    With --teams, the security level of each team is measured: its payoff if all
    other players together respond in the worst way.

    With --lower-bound, no policy is tabulated: responses found by search play matches against the
    policy.
    """
    from infoset.front import is_correlated, is_policy_file

    # If the first argument is a policy, its file names the game, and all arguments are policies.
    if game is not None and policy is not None and _is_only_policy(game):
        rules, path = game_and_policy(game, None)
        players = [game, policy, *(others or ())]
    else:
        rules, path = game_and_policy(game, policy)
        players = [path, *(others or ())]
    if by_hand or leaks or len(players) > 1:
        what = "--by-hand" if by_hand else "--leaks" if leaks else f"{len(players)} policies"
        sampled: dict[str, object] = {"lower-bound": lower_bound or None, "teams": teams}
        _refuse_combined(what, {**sampled, "rule": rule, "leaks": (by_hand and leaks) or None})
    for name, value in (("top", top), ("by", by)):
        if value is not None and not leaks:
            raise typer.BadParameter(f"--{name} needs --leaks: it selects rows of that table")
    if lower_bound:
        with executor_of(on, workers) as executor:
            where = workers, executor
            _bound(rules, path, responder, deals or DEFAULT_DEALS, seed or 0, where, as_json)
        return
    given = {"responder": responder, "deals": deals, "seed": seed, "workers": workers, "on": on}
    for name, value in given.items():
        if value is not None:
            raise typer.BadParameter(f"--{name} needs --lower-bound: otherwise nothing is sampled")
    if rule is not None and teams is None:
        raise typer.BadParameter("--rule needs --teams: it defines the payoff of a team")
    if teams is not None:
        _measure_teams(rules, path, teams, rule or "common", as_json)
    elif by_hand:
        _measure_hands(rules, players, as_json)
    elif leaks:
        profile = _policies(rules, players)
        show_leaks(rules, profile, players, top=top, by=by, as_json=as_json)
    elif len(players) == 1 and is_policy_file(path) and is_correlated(path):
        _measure_correlated(rules, path, as_json)
    else:
        _measure(rules, players, as_json)


def _is_only_policy(text: str) -> bool:
    """Return whether a text in the place of a game names a file or folder of a policy."""
    from infoset.front import is_policy_file
    from infoset.games import GAMES

    is_policy = is_policy_file(text) and (text.lower().endswith(".parquet") or Path(text).is_dir())
    return is_policy and not GAMES.knows(text)


def _refuse_combined(what: str, options: Mapping[str, object]) -> None:
    """Raise if one of several options is given."""
    for name, value in options.items():
        if value is not None:
            raise typer.BadParameter(f"--{name} cannot be combined with {what}: omit one of them")


def _measure(rules: Game | ExtensiveForm, players: list[str], as_json: bool) -> None:
    """Measure a policy exactly, or one for each player, and print the numbers."""
    from infoset.front import evaluate
    from infoset.game import player_name

    with live(str(rules)) as progress:
        found = evaluate(rules, _policies(rules, players), progress=progress.building)
    tell_notes(rules)
    policy, pot = ", ".join(players), rules.initial_pot
    if as_json:
        numbers = {
            "values": found.values,
            "nash_conv": found.nash_conv,
            "exploitability": found.exploitability,
            "gains": found.gains,
            "security_levels": found.security_levels,
            "rounding": found.rounding,
            "form_reason": found.form_reason,
            "initial_pot": pot and pot._asdict(),
        }
        print_json({"game": str(rules), "policy": policy, **numbers})
        return
    gains = [error_text(gain, found.rounding) for gain in found.gains]
    table = _table_of_players(rules, "gain of a best response", found.values, gains)
    for name, text in error_rows(found, pot):
        table.add_row(name, "", text)
    for player, level in enumerate(found.security_levels or () if len(players) > 1 else ()):
        name = player_name(rules, player)
        table.add_row(f"security level of {name}", number_text(level), "")
    print_table(table, title=f"{rules}: {policy}" if len(players) > 1 else str(rules))
    if found.form_reason is not None:
        say(f"measured on the {found.form_reason}")
    say_equilibrium(found)


def _policies(rules: Game | ExtensiveForm, players: list[str]) -> list[EvaluatedPolicy]:
    """Return names of files and `uniform` unchanged, and searchers and others as objects."""
    from infoset.front import is_policy_file, resolve_searcher, to_game

    found: list[EvaluatedPolicy] = []
    for player in players:
        if player == "uniform" or is_policy_file(player):
            found.append(player)
        else:
            found.append(resolve_searcher(player, to_game(rules)))
            tell(SEARCHER_NOTE)
    return found


def _measure_hands(rules: Game | ExtensiveForm, players: list[str], as_json: bool) -> None:
    """Measure what each hand earns, and print the numbers."""
    from infoset.front import evaluate_hands
    from infoset.game import player_name

    with live(str(rules)) as progress:
        found = evaluate_hands(rules, _policies(rules, players), progress=progress.building)
    tell_notes(rules)
    policy = ", ".join(players)
    if as_json:
        hands = [dict(zip(COLUMNS, columns, strict=True)) for columns in map(_columns, found)]
        print_json({"game": str(rules), "policy": policy, "hands": hands})
        return
    for one in found:
        _print_hands(one, f"{rules}: {policy}, {player_name(rules, one.player)}")
        say()
    say("values are those given the hand; their means, by probability, are those of the game")


def _columns(one: HandEvaluation) -> tuple[list[Any], ...]:
    """Return the `COLUMNS` of a table of hands."""
    numbers = (one.probabilities, one.values, one.best_response_values, one.gains)
    labels = [*map(str, one.public_form.hands[one.player])]
    return labels, *(column.tolist() for column in numbers)


def _print_hands(one: HandEvaluation, title: str) -> None:
    """Print a table of hands: all, or those with the largest gains by probability."""
    rows = list(zip(*_columns(one), strict=True))
    order = sorted(range(len(rows)), key=lambda place: -one.probabilities[place] * one.gains[place])
    shown = sorted(order[:MAX_HANDS])  # chosen by what they contribute, shown in the usual order
    table = TextTable("hand", ">probability", ">value", ">best response", ">gain")
    for place in shown:
        label, *numbers = rows[place]
        table.add_row(label, *map(number_text, numbers))
    print_table(table, title=title)
    if len(shown) < len(rows):
        say(f"the {len(shown)} hands whose gains count most, of {len(rows):,}; --json prints all")


def _measure_teams(
    rules: Game | ExtensiveForm,
    policy: str,
    teams: Teams,
    rule: str,
    as_json: bool,
) -> None:
    """Measure and print the payoffs and security levels of teams."""
    from infoset.front import evaluate_teams, is_policy_file, resolve_searcher, to_game
    from infoset.game.player_names import short_name

    with live(str(rules)) as progress:
        is_queried = policy != "uniform" and not is_policy_file(policy)
        found = evaluate_teams(
            rules,
            resolve_searcher(policy, to_game(rules)) if is_queried else policy,
            teams,
            rule=cast("PayoffRule", rule),
            progress=progress.building,
        )
    tell_notes(rules)
    if as_json:
        print_json({"game": str(rules), "policy": policy, **found._asdict()})
        return
    table = TextTable("team", ">payoff", ">security level")
    for team, payoff, level in zip(*found, strict=True):
        name = ", ".join(short_name(rules, player) for player in team)
        table.add_row(name, number_text(payoff), interval_text(level.lower, level.upper))
    print_table(table, title=str(rules))


def _measure_correlated(rules: Game | ExtensiveForm, policy: str, as_json: bool) -> None:
    """Measure a correlated policy exactly, and print the numbers."""
    from infoset.front import load_correlated_policy_file, to_form

    with live(str(rules)) as progress:
        form = to_form(rules, progress=progress.building)
        found = load_correlated_policy_file(policy, form)
        measured = found.evaluate()
    tell_notes(rules)
    about = {"game": str(rules), "policy": policy, "num_policies": len(found.policies)}
    if as_json:
        print_json({**about, **asdict(measured)})
        return
    gains = [number_text(gain) for gain in measured.gains]
    table = _table_of_players(rules, "gain of a fixed policy", measured.values, gains)
    table.add_row("CCE gap", "", number_text(measured.cce_gap))
    print_table(table, title=f"{rules}: {policy}")
    say(
        f"a correlated policy: one of {number_text(len(found.policies))} policies is drawn for all "
        "players before each play"
    )


def _table_of_players(
    rules: Game | ExtensiveForm, gain: str, values: Sequence[float], gains: Sequence[str]
) -> TextTable:
    """Return a table with a row for each player, and place for totals."""
    from infoset.game.player_names import short_name

    table = TextTable("player", ">value", f">{gain}")
    for player, (value, own) in enumerate(zip(values, gains, strict=True)):
        table.add_row(short_name(rules, player), value_text(value, player, rules.initial_pot), own)
    return table


def _bound(
    game: Game | ExtensiveForm,
    policy: str,
    responder: str | None,
    deals: int,
    seed: int,
    where: tuple[int | None, Executor | None],
    as_json: bool,
) -> None:
    """Bound the exploitability of a policy from below, and print the bound."""
    from infoset.front import resolve_players, to_game
    from infoset.game import player_name
    from infoset.search import RESPONDER, Searcher, exploitability_lower_bound

    rules = to_game(game)
    (opponent,) = resolve_players([policy], rules)
    if isinstance(opponent, Searcher):
        tell(SEARCHER_NOTE)
    with live(str(rules)) as progress:
        progress.playing(f"responses against {policy}", deals, None)
        found = exploitability_lower_bound(
            rules,
            opponent,
            responder=responder or RESPONDER,
            num_deals=deals,
            seed=seed,
            workers=where[0],
            executor=where[1],
            callback=progress.played,
        )
    tell_notes(rules)
    about = {"game": str(rules), "policy": policy, "responder": responder or RESPONDER}
    if as_json:
        _print_bound(found, about)
        return
    table = TextTable("response by search", ">utility", ">95% interval")
    for player, utility in enumerate(found.match.position_utilities):
        name = f"as {player_name(rules, player)}"
        table.add_row(name, number_text(utility.mean), _interval(utility.interval))
    gain = found.gain
    table.add_row("mean gain", number_text(gain.mean), _interval(gain.interval))
    at_least = number_text(found.exploitability_lower_bound)
    table.add_row("exploitability at least", at_least, "")
    print_table(table, title=f"{rules}: {policy}")
    say(f"{number_text(deals)} deals, each in both positions; confidence 97.5%")


def _print_bound(found: ExploitabilityBound, about: dict[str, str]) -> None:
    """Print a bound as JSON."""
    numbers = {
        "exploitability_lower_bound": found.exploitability_lower_bound,
        "nash_conv_lower_bound": found.nash_conv_lower_bound,
        "gain": asdict(found.gain),
        "constant_sum": found.constant_sum,
        "match": asdict(found.match),
    }
    print_json({**about, **numbers})


def _interval(interval: tuple[float, float]) -> str:
    low, high = map(number_text, interval)
    return f"{low} to {high}"
