"""Payoffs of a form, listed by tuples of sequences, as linear programs need them."""

from __future__ import annotations

from infoset.forms.form import Form
from infoset.forms.sequence_form import as_sequence_form
from infoset.forms.transform import Transform
from infoset.forms.transformed_form import TransformedForm
from infoset.typing import FloatArray, IntArray


def listed_payoffs(form: Form) -> tuple[IntArray, FloatArray]:
    """Return [M, N] tuples of sequences, and [M, N] their payoffs times chance reach.

    Raises
    ------
    UnsupportedGameError
        If the form is neither a sequence form nor a transform of one.

    Examples
    --------
    >>> import infoset
    >>> from infoset.forms import lock
    >>> kuhn = infoset.build_tree("kuhn_poker").sequence_form
    >>> sequences, payoff = listed_payoffs(lock(kuhn, {("[J]", 0): {"bet": 1.0}}))
    >>> len(payoff) < len(kuhn.payoff)
    True
    """
    transform: Transform | None = None
    while isinstance(form, TransformedForm):
        transform = form.transform if transform is None else transform.then(form.transform)
        form = form.base
    listed = as_sequence_form(form)
    if transform is None:
        return listed.terminal_sequence, listed.payoff
    return listed.composed_list(transform)
