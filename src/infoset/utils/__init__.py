"""Small helpers that every room uses: arguments, compilation, random streams, SIMD, files."""
