"""Going through the histories of a game level by level, by the number of their transitions."""
