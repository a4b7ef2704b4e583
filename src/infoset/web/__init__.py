"""The explorer of games in the browser: its server, and saved pages."""

from infoset.web.exploration import Exploration, explore, make_explorer
from infoset.web.guard import Guard, LocalAddress
from infoset.web.saved_page import save_page
from infoset.web.server import make_app

__all__ = [
    "Exploration",
    "Guard",
    "LocalAddress",
    "explore",
    "make_app",
    "make_explorer",
    "save_page",
]
