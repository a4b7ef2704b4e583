"""Files of pictures and charts; the extension selects the format."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from infoset.errors import ParameterError
from infoset.utils.arguments import check_path
from infoset.utils.files import write_output
from infoset.utils.text import printable, shortened

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.text import Text


FORMATS: Final[Mapping[str, dict[str, Any]]] = {
    ".svg": {"format": "svg", "metadata": {"Date": None}},
    ".png": {"format": "png"},
    ".pdf": {"format": "pdf", "metadata": {"CreationDate": None}},
}


MAX_TEXT: Final = 1000
"""Maximum number of characters of a text in a picture."""


def check_target(path: str | Path) -> str:
    """Return the lower-case extension of a picture file to write.

    Raises
    ------
    ParameterError
        If the extension is unknown, the folder does not exist, or the system does not accept the
        path.
    """
    check_path("path", path)
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        known = " or ".join(FORMATS)
        raise ParameterError(
            f"cannot write a picture to {str(path)!r}; use a name that ends in {known}"
        )
    folder = Path(path).parent
    if not folder.is_dir():
        raise ParameterError(f"there is no folder {folder} for {Path(path).name}; create it first")
    return suffix


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a chart to a file; the extension (`.svg`, `.png` or `.pdf`) selects the format.

    Texts in SVG and PDF files remain texts. With the same library versions, equal charts produce
    identical files.

    Raises
    ------
    ParameterError
        If the extension is unknown, the folder does not exist, or the file cannot be written.

    Examples
    --------
    >>> from infoset import solve
    >>> from infoset.plotting import plot_convergence
    >>> save_figure(plot_convergence(solve("kuhn_poker", "cfr+").trace), "kuhn.pdf")
    """
    write_output(path, figure_bytes(figure, check_target(path), figure.dpi))


def figure_bytes(figure: Figure, suffix: str, dots_per_inch: float) -> bytes:
    """Return the content of a file of a figure in the format of an extension."""
    from matplotlib import rc_context

    escape_texts(figure)
    buffer = BytesIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "infoset", "pdf.fonttype": 42}):
        figure.savefig(buffer, dpi=dots_per_inch, **FORMATS[suffix])
    return buffer.getvalue()


def escape_texts(figure: Figure) -> None:
    """Write control characters in the texts of a figure as escapes, and cut very long texts.

    Names and labels of a game may contain such characters, but SVG allows none, and fonts have
    none.
    """
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        if (shown := _escaped(text)) != text.get_text():
            text.set_text(shown)
    # The labels of ticks are set again when the axes are drawn.
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        labels = axis.get_majorticklabels()
        if (names := [_escaped(label) for label in labels]) != [t.get_text() for t in labels]:
            axis.set_ticks(axis.get_majorticklocs(), names)


def _escaped(text: Text) -> str:
    return shortened(printable(text.get_text()), MAX_TEXT)
