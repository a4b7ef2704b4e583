"""`infoset show`: print a policy by infostate."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import chain, groupby
from math import isnan
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from infoset.cli.options import (
    JsonOption,
    OptionalGameArgument,
    PolicyArgument,
    game_and_policy,
)
from infoset.cli.progress import live
from infoset.cli.screen import (
    SMALLEST_SHOWN,
    frequencies_text,
    number_text,
    print_json,
    print_table,
    say,
    say_data,
)
from infoset.cli.tables import TextTable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from infoset.cli.progress import Progress
    from infoset.efg import ExtensiveForm
    from infoset.game import Game
    from infoset.policy import PolicyRow, TabularPolicy
    from infoset.typing import FloatArray


class NodeRow(NamedTuple):
    """How often each action is played at a public node."""

    player: int
    node: str
    """The public actions and observations that lead there."""
    probability: float
    """Probability that play leads there."""
    values: tuple[float, ...]
    """Expected utility of each player there, plus its part of the initial pot, if there is one."""
    actions: tuple[Any, ...]
    frequencies: FloatArray


class Choice(NamedTuple):
    """Which infostates to print; None for no condition."""

    player: int | None
    reached: bool
    """Only those with an own reach that is not rounded to zero."""
    depth: int | None
    """Only the first decisions of the player in each play."""
    match: str | None
    """Only those whose text contains this text."""
    top: int | None
    """Only the infostates with the largest own reach, for each player."""

    def rows(self, policy: TabularPolicy) -> list[PolicyRow]:
        """Return the rows of a policy that are chosen, in their order."""
        kept = [row for row in policy.sorted_rows(self.depth) if self._includes(row, policy)]
        if self.top is None:
            return kept
        # The best are chosen by their reach for each player, and stay in the order of reading.
        best: set[int] = set()
        for _, group in groupby(range(len(kept)), key=lambda place: kept[place].player):
            best.update(sorted(group, key=lambda place: -kept[place].own_reach)[: self.top])
        return [row for place, row in enumerate(kept) if place in best]

    def node_rows(self, policy: TabularPolicy) -> list[NodeRow]:
        """Return the rows of the chosen public nodes, in their order."""
        from infoset.evaluation import PublicValues

        form: Any = policy.form
        values, kept = PublicValues(policy), []
        pot = form.source.initial_pot
        contributions = (0.0, 0.0) if pot is None else pot.contributions
        early = (form.early_decisions(player, self.depth)[0].tolist() for player in range(2))
        for node in sorted(chain(*early)):
            player, label = int(form.player[node]), form.label(node)
            if self.player in (None, player) and self._matches(label, policy):
                earned = (values.mean_value(node, p) + contributions[p] for p in range(2))
                kept.append(
                    NodeRow(
                        player,
                        label,
                        values.probability(node),
                        tuple(earned),
                        form.legal_actions(node),
                        values.action_frequencies(node),
                    )
                )
        if self.reached:
            kept = [row for row in kept if row.probability >= SMALLEST_SHOWN]
        if self.top is not None:
            best = sorted(range(len(kept)), key=lambda place: -kept[place].probability)
            kept = [kept[place] for place in sorted(best[: self.top])]
        return kept

    def _includes(self, row: PolicyRow, policy: TabularPolicy) -> bool:
        return (
            self.player in (None, row.player)
            and not (self.reached and row.own_reach < SMALLEST_SHOWN)
            and self._matches(row.infostate, policy)
        )

    def _matches(self, label: str, policy: TabularPolicy) -> bool:
        """Return whether a label contains the text as given, or in the game's notation."""
        text = self.match or ""
        return text in label or policy.form.source.normal_text(text) in label


def run(
    game: OptionalGameArgument = None,
    policy: PolicyArgument = None,
    player: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER",
            help="Print the infostates of one player only: its number, from 0, or its name.",
        ),
    ] = None,
    reached: Annotated[
        bool, typer.Option("--reached", help="Print infostates with positive own reach only.")
    ] = False,
    depth: Annotated[
        int | None,
        typer.Option(min=1, help="Print only the first decisions of a player in each play."),
    ] = None,
    match: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Print only infostates that contain a text."),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            min=1,
            help="Print only the infostates of each player with the largest own reach.",
        ),
    ] = None,
    component: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            min=0,
            help="For a correlated policy: print only one of its policies, counted from 0.",
            show_default="the average of all",
        ),
    ] = None,
    by_node: Annotated[
        bool,
        typer.Option(
            "--by-node",
            help="Print action frequencies and EV (including any initial pot) at each public node, "
            "over all hands.",
        ),
    ] = False,
    as_csv: Annotated[
        bool,
        typer.Option(
            "--csv", help="Print comma-separated values: a row for each infostate and action."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Print the action probabilities of a policy at every infostate.

    Own reach is the probability that the player's own actions lead to the infostate. The status
    is "reached" if chance and all players lead there; otherwise "refined" if information is perfect
    from there on and the policy is best there, or "arbitrary". For a correlated policy, the average
    of its policies is printed.
    """
    from infoset.evaluation import infostate_status
    from infoset.front import read_policy_metadata
    from infoset.game.player_names import find_player
    from infoset.policy import save_policy_csv

    if as_csv and (as_json or (player, reached, depth, match, top) != ALL):
        raise typer.BadParameter("--csv prints everything; omit the other options")
    rules, path = game_and_policy(game, policy)
    number = None if player is None else find_player(rules, player)
    choice = Choice(number, reached, depth, match, top)
    if by_node:
        if as_csv or component is not None:
            raise typer.BadParameter("--by-node cannot be combined with --csv or --component")
        _show_nodes(rules, path, choice, as_json)
        return
    with live(str(rules)) as progress:
        found, part = _read(rules, path, component, progress)
        about = read_policy_metadata(path)
    if as_csv:
        say_data(partial(save_policy_csv, found))
        return
    rows = choice.rows(found)
    status = infostate_status(found) if rows else ()
    if as_json:
        records = [_record(row, status) for row in rows]
        print_json({"game": str(rules), "policy": path, "metadata": about, "infostates": records})
        return
    method = (about or {}).get("method")
    say(f"{rules}: {path}{f', by {method}' if method else ''}{part}")
    if not rows:
        say("no infostate agrees with the options")
        return
    _print_text(rules, rows, _totals(found), status)


def _show_nodes(rules: Game | ExtensiveForm, path: str, choice: Choice, as_json: bool) -> None:
    """Print how often each action is played at each public node."""
    from infoset.front import resolve_policy, to_public_form
    from infoset.game.player_names import short_name

    with live(str(rules)) as progress:
        form = to_public_form(rules, progress=progress.building)
        rows = choice.node_rows(resolve_policy(path, form))
    if as_json:
        records = [{**row._asdict(), "frequencies": row.frequencies.tolist()} for row in rows]
        print_json({"game": str(rules), "policy": path, "nodes": records})
        return
    if not rows:
        say(f"{rules}: {path}")
        say("no public node agrees with the options")
        return
    earned = [f">EV {short_name(rules, player)}" for player in range(2)]
    table = TextTable(
        ">probability", "player", "public node", *earned, "frequencies", is_plain=True
    )
    for row in rows:
        frequencies = frequencies_text(row.actions, row.frequencies)
        name = short_name(rules, row.player)
        values = ["" if isnan(value) else number_text(value) for value in row.values]
        end = frequencies or "never reached"
        table.add_row(f"{row.probability:.3f}", name, row.node, *values, end)
    print_table(table, title=f"{rules}: {path}")


def _read(
    game: Game | ExtensiveForm,
    path: str,
    component: int | None,
    progress: Progress,
) -> tuple[TabularPolicy, str]:
    """Return the policy to print, and which part of a correlated policy it is."""
    from infoset.front import (
        form_of_policies,
        is_correlated,
        is_policy_file,
        load_correlated_policy_file,
        policy_path,
        resolve_policy,
        to_form,
    )

    is_mixed = is_policy_file(path) and is_correlated(path)
    if component is not None and not is_mixed:
        raise typer.BadParameter(f"--component: {path} is not a correlated policy")
    if path != "uniform":
        policy_path(path)  # before the game is built
    if not is_mixed:
        form = form_of_policies(game, path, progress=progress.building)
        return resolve_policy(path, form), ""
    found = load_correlated_policy_file(path, to_form(game, progress=progress.building))
    count = len(found.policies)
    if component is None:
        return found.average(), f"; average of {count:,} policies"
    if component >= count:
        raise typer.BadParameter(f"--component {component}: {path} has {count:,} policies, from 0")
    return found.policies[component], f"; policy {component:,} of {count:,}, counted from 0"


ALL = Choice(None, False, None, None, None)


def _totals(policy: TabularPolicy) -> list[int]:
    """Return the number of infostates of each player, without those of removed hands."""
    form = policy.form
    return [len(form.reading_order(player)) for player in range(form.num_players)]


def _record(row: PolicyRow, status: tuple[NDArray[np.str_], ...]) -> dict[str, Any]:
    return {
        "player": row.player,
        "infostate": row.infostate,
        "own_reach": row.own_reach,
        "status": str(status[row.player][row.number]),
        "actions": row.actions,
        "probabilities": row.probabilities,
    }


def _print_text(
    rules: Game | ExtensiveForm,
    rows: Iterable[PolicyRow],
    totals: list[int],
    status: tuple[NDArray[np.str_], ...],
) -> None:
    """Print rows by player; `totals` are the numbers of infostates of all players."""
    from infoset.game import player_name

    for player, group in groupby(rows, key=attrgetter("player")):
        of_player = list(group)
        shown = "" if len(of_player) == totals[player] else f"{len(of_player):,} of "
        table = TextTable(">own reach", "status", "infostate", "policy", is_plain=True)
        for row in of_player:
            policy = frequencies_text(row.actions, row.probabilities)
            marked = str(status[player][row.number])
            table.add_row(f"{row.own_reach:.3f}", marked, row.infostate, policy)
        say()
        title = f"{player_name(rules, player)}: {shown}{totals[player]:,} infostates"
        print_table(table, title=title)
    say()
    say(f"actions with probability below {SMALLEST_SHOWN:g} are omitted; --csv prints all")
