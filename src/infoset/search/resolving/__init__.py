"""Depth-limited re-solving of public states during play."""
