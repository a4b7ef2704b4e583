"""Liar's dice, compiled: hands by number, the last call, and whose turn it is."""

from infoset.search.models.dice.model import DiceModel

__all__ = ["DiceModel"]
