"""Games as PettingZoo environments: the optional extra `pettingzoo`."""

from infoset.interop.pettingzoo.environment import to_pettingzoo

__all__ = ["to_pettingzoo"]
