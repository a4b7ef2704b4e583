"""One module per command, named as it is typed; each has a function `run`."""
