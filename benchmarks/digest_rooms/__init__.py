"""What `digests.py` computes: one file for each room of the library."""
