"""Values hashed by `digests.py`: one module for each room of the library."""
