"""Comparing infoset with its peers: games, environment, conversation, measurements, figures."""
