"""The function `explore`, which shows a game in the browser."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from infoset.efg import ExtensiveForm, as_game
from infoset.errors import (
    GameTooLargeError,
    InfosetError,
    ParameterError,
)
from infoset.forms import Form, PublicForm, as_public_form
from infoset.front import (
    GameLike,
    is_policy_file,
    resolve_average,
    resolve_game,
    resolve_players,
    solve,
    to_compiled,
    to_public_form,
)
from infoset.front.players import unknown_file_or_name
from infoset.game import Game, GameSource
from infoset.games import load_game
from infoset.policy import Policy, TabularPolicy
from infoset.runs import Callback, SolveResult
from infoset.solvers import METHODS
from infoset.tree import BuildProgress, GameTree, public_rules_of
from infoset.utils.arguments import check_count
from infoset.utils.extras import has_extra, import_extra
from infoset.utils.notebooks import in_notebook
from infoset.utils.paths import looks_like_path
from infoset.views import Explorer, watched_methods
from infoset.web.guard import LocalAddress
from infoset.web.saved_page import save_page
from infoset.web.server import make_app

if TYPE_CHECKING:
    import uvicorn

    from infoset.web.widget import ExplorationWidget


LOCALHOST: Final = "127.0.0.1"
MAX_PORT: Final = 65535
DEFAULT_OPPONENTS: Final = ("uniform", "ismcts")
"""Opponents in a game that is too large to build, if none is named."""

PolicyLike: TypeAlias = TabularPolicy | Policy | SolveResult | str | Path


class Exploration:
    """A page about a game, served on this machine until it is closed.

    Attributes
    ----------
    explorer : Explorer
        Answers the questions of the page.
    url : str
        Address of the page, with the token of this run.
    """

    def __init__(self, explorer: Explorer, port: int = 0) -> None:
        self.explorer = explorer
        self._socket = _bound_socket(port)
        self._address = LocalAddress(self._socket.getsockname()[1])
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None
        self._widget: ExplorationWidget | None = None

    def __repr__(self) -> str:
        """Return the game and where it is shown."""
        return f"Exploration({self.explorer.game}, {self.url}; close() ends it)"

    def __enter__(self) -> Exploration:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    @property
    def url(self) -> str:
        """Address of the page."""
        return self._address.url

    def start(self) -> None:
        """Begin to serve the page, in a thread; done by `explore`."""
        import uvicorn

        config = uvicorn.Config(
            make_app(self.explorer, self._address),
            log_level="critical",
            access_log=False,
            server_header=False,
            date_header=False,
            ws="websockets-sansio",
            ws_max_size=64 * 1024,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, args=([self._socket],), name="infoset explore", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Stop serving the page, and end its runs."""
        if self._widget is not None:
            self._widget.close()
        self.explorer.stop()
        if self._server is not None and self._thread is not None:
            self._server.should_exit = True
            self._thread.join(5)
        self._socket.close()

    def save(self, path: str | Path, *, depth: int | None = None) -> None:
        """Save the page as one file, as `save_page` does."""
        save_page(self.explorer, path, depth=depth)

    def widget(self) -> ExplorationWidget:
        """Return the page as a widget, which a notebook shows below the cell.

        The kernel answers its questions, so that it works in notebooks on other machines too.

        Raises
        ------
        MissingExtraError
            If the extra `notebook` is not installed.
        """
        if self._widget is None:
            import_extra("notebook", "showing a page in a notebook")
            from infoset.web.widget import ExplorationWidget

            self._widget = ExplorationWidget(self.explorer)
        return self._widget

    def _repr_mimebundle_(self, **selection: Any) -> Any:
        """Return the page for notebooks; a link to it where the extra `notebook` is missing."""
        if _shows_widgets():
            return self.widget()._repr_mimebundle_(**selection)
        name = escape(str(self.explorer.game))
        link = f'<a href="{self.url}" target="_blank" rel="noreferrer">explore {name}</a>'
        return {"text/plain": repr(self), "text/html": link}


def _shows_widgets() -> bool:
    """Return whether the code runs in a notebook and the extra `notebook` is installed."""
    return in_notebook() and has_extra("notebook")


def explore(
    game: GameLike | PublicForm,
    policies: Sequence[PolicyLike] | Mapping[str, PolicyLike] = (),
    against: Sequence[str] = (),
    *,
    port: int = 0,
    open_browser: bool | None = None,
    memory: int | None = None,
    progress: BuildProgress | None = None,
) -> Exploration:
    """Show a game in the browser: its public states, policies and beliefs, and play it.

    Parameters
    ----------
    game : str, Game, GameTree, PublicForm or ExtensiveForm
        As in `solve`. A game that is too large for a tree is shown as a public form if it has
        public rules, with equity where hands are compared; others can be played. An extensive form
        shows its histories and infostates.
    policies : Sequence or Mapping, optional
        Policies to show: `uniform`, a policy file or run folder, the name of a method, which then
        solves the game, a policy, or a result. A mapping gives their names. By default `uniform`.
    against
        Further players to play against, as in `infoset play`: searchers such as `pimc`.
    port
        Port on this machine; 0 for a free one.
    open_browser
        Whether to open the page in a browser. By default it is opened, except in a notebook with
        the extra `notebook`, which shows the page below the cell.
    memory, progress
        As in `solve`.

    Returns
    -------
    Exploration
        Its `url` is the address of the page, and `close()` ends it.

    Raises
    ------
    InfosetError
        If the game, a policy or a player is unknown or does not fit the game, or the port is taken.

    Examples
    --------
    >>> with explore("kuhn_poker", ["lp"], open_browser=False) as page:
    ...     page.explorer.policy_names
    ['lp']
    """
    check_count("port", port)
    if port > MAX_PORT:
        raise ParameterError(f"port={port} is out of range; ports are 0 to {MAX_PORT}")
    explorer = make_explorer(game, policies, against, memory=memory, progress=progress)
    page = Exploration(explorer, port)
    page.start()
    if open_browser or (open_browser is None and not _shows_widgets()):
        import webbrowser

        webbrowser.open(page.url)
    return page


def make_explorer(
    game: GameLike | PublicForm,
    policies: Sequence[PolicyLike] | Mapping[str, PolicyLike] = (),
    against: Sequence[str] = (),
    *,
    memory: int | None = None,
    progress: BuildProgress | None = None,
    solving: Callable[[str], Callback | None] = lambda method: None,
) -> Explorer:
    """Return the explorer of a game, as `explore` shows it.

    Parameters
    ----------
    game, policies, against, memory, progress
        As in `explore`.
    solving : callable
        Called with the name of each method before it solves the game; returns the callback of
        `solve`.

    Raises
    ------
    InfosetError
        As raised by `explore`.
    """
    given = as_public_form(game) if isinstance(game, Form) else resolve_game(game)
    subject = _built(given, memory, progress)
    named = _named(policies)
    if isinstance(subject, Game):
        if named:
            raise ParameterError(
                f"{subject} is too large to build, so that policies in tables cannot be shown; "
                "leave them out, and name searchers to play against"
            )
        rules: Game | None = subject
    else:
        rules = given if isinstance(given, Game) else _rules_of(subject)
        named = named or {"uniform": "uniform"}
    found = {name: _resolved(subject, policy, solving) for name, policy in named.items()}
    players = against or (DEFAULT_OPPONENTS if isinstance(subject, Game) else ())
    opponents: dict[str, Any] = {}
    if players and rules is not None:
        source = subject if isinstance(subject, GameTree) else rules
        resolved = resolve_players(list(players), source, memory=memory)
        opponents = dict(zip(players, resolved, strict=True))
    return Explorer(subject, found, opponents, rules=rules, methods=watched_methods())


def _built(
    game: Game | GameTree | PublicForm | ExtensiveForm,
    memory: int | None,
    progress: BuildProgress | None,
) -> Game | GameTree | PublicForm | ExtensiveForm:
    """Return a game as a tree or, if it is too large, as a public form, or as rules."""
    if not isinstance(game, Game):
        return game
    try:
        found = to_compiled(game, memory=memory, progress=progress)
        assert isinstance(found, GameTree)
        return found
    except GameTooLargeError:
        if public_rules_of(game) is None:
            return game
    try:
        return to_public_form(game, memory=memory, progress=progress)
    except GameTooLargeError:
        return game


def _rules_of(subject: GameTree | PublicForm | ExtensiveForm) -> Game | None:
    """Return the rules of a game; None if they do not exist or the game is not registered."""
    if isinstance(subject, GameTree):
        return subject.game
    with suppress(InfosetError):
        if isinstance(subject, ExtensiveForm):
            return as_game(subject)
        rules = load_game(subject.name)
        return rules if GameSource.of_rules(rules) == subject.source else None
    return None


def _named(policies: Sequence[PolicyLike] | Mapping[str, PolicyLike]) -> dict[str, PolicyLike]:
    """Return policies by the names that the page shows."""
    if isinstance(policies, Mapping):
        return dict(policies)
    if isinstance(policies, str | Path | TabularPolicy | SolveResult):
        policies = [policies]
    named: dict[str, PolicyLike] = {}
    for number, policy in enumerate(policies, start=1):
        name = f"policy {number}"
        if isinstance(policy, str | Path):
            name = str(policy)
        elif isinstance(policy, SolveResult):
            name = policy.method
        named[name if name not in named else f"{name} #{number}"] = policy
    return named


def _resolved(
    subject: GameTree | PublicForm | ExtensiveForm | Game,
    policy: PolicyLike,
    solving: Callable[[str], Callback | None],
) -> TabularPolicy:
    """Return a policy of a game; a method's name stands for its solution."""
    assert not isinstance(subject, Game)
    form = subject if isinstance(subject, Form) else subject.sequence_form
    is_name = isinstance(policy, str) and not is_policy_file(policy)
    if is_name and METHODS.knows(str(policy)):
        return solve(form, str(policy), callback=solving(str(policy))).policy
    if is_name and policy != "uniform" and not looks_like_path(str(policy)):
        raise unknown_file_or_name("policy", str(policy), ["uniform", *METHODS])
    return resolve_average(policy, form)


def _bound_socket(port: int) -> socket.socket:
    """Return a listening socket of this machine alone.

    Its protocol is named because asyncio sends small answers without delay (TCP_NODELAY) only on
    sockets that name it; on others, an answer waits 40 ms for the client's acknowledgment.

    Raises
    ------
    ParameterError
        If the port is taken or not allowed.
    """
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.bind((LOCALHOST, port))
        bound.listen()
    except OSError as error:
        bound.close()
        raise ParameterError(
            f"port={port} cannot be used: {error.strerror}; give another, or 0 for a free one"
        ) from error
    return bound
