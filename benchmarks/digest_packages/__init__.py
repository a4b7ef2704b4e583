"""Values hashed by `digests.py`: one module for each package of the library."""
