"""Policies of locked, cut and gadget games as policies of the whole form, and back."""

from __future__ import annotations

from infoset.errors import PolicyMismatchError
from infoset.forms import TransformedForm
from infoset.policy.tabular import TabularPolicy, check_policy
from infoset.utils.arguments import check_type


def complete_policy(policy: TabularPolicy) -> TabularPolicy:
    """Return a policy on a transform of a form as a policy on the whole form; see `Form.whole`.

    On a locked form it plays the locked probabilities where they are locked. A policy on a form
    that is not a transform is returned unchanged. Results of `solve` are complete.

    Examples
    --------
    >>> import infoset
    >>> from infoset.forms import lock
    >>> locked = lock(
    ...     infoset.build_public_form("kuhn_poker"), {"(start)": {"bet": 1.0}}
    ... )
    >>> complete_policy(infoset.uniform_policy(locked))["J", "(start)"]
    {'pass': 0.0, 'bet': 1.0}
    """
    check_policy(policy)
    form = policy.form
    if form.whole is form:
        return policy
    return TabularPolicy(form.whole, form.complete(policy.probabilities))


def restrict_policy(form: TransformedForm, policy: TabularPolicy) -> TabularPolicy:
    """Return a policy on the base of a transform as a policy on the transform.

    On a locked form its gains are those of players who follow the locked probabilities, which count
    where the policy differs from them. Choices that a gadget adds are uniform.

    Raises
    ------
    PolicyMismatchError
        If the policy belongs to another form.
    """
    check_type("form", form, TransformedForm, "a transform of a form, as infoset.lock returns it")
    check_policy(policy)
    base, other = form.base, policy.form
    if other is not base and other.fingerprint != base.fingerprint:
        raise PolicyMismatchError(
            f"the policy is for {other.name}, not for {base.name}; give a policy for {base.name}"
        )
    return TabularPolicy(form, form.restrict(policy.probabilities))
