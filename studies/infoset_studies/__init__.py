"""The papers' studies: their settings, cells and tables, run by `infoset reproduce`.

Each study is registered in the entry-point group `infoset.studies`, as any other package can
register its own; the library itself never imports this package.
"""
