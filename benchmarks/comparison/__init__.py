"""Comparison of infoset with its peers: games, environments, workers, measurements and figures."""
