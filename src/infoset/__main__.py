"""Run the command line: `python -m infoset`."""

from infoset.cli import main

if __name__ == "__main__":
    main()
