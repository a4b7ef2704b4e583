"""Conversion of blueprints from policies, functions, results, files and names."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Protocol, TypeAlias, runtime_checkable

from infoset.errors import ParameterError, PolicyFileError, UnknownNameError, UnsupportedGameError
from infoset.forms import Form
from infoset.policy import (
    Policy,
    PolicyFunction,
    TabularPolicy,
    as_policy,
    is_zoo_name,
    load_policy,
    load_policy_csv,
    tabulate,
    transfer_policy,
    uniform_policy,
    zoo_path,
)
from infoset.runs import SolveResult, make_budget
from infoset.solvers import METHODS, get_method, run_method

GivenBlueprint: TypeAlias = Policy | PolicyFunction | SolveResult | str | Path
"""A policy, a function of an infostate and its legal actions, a result, a file, or a name."""

UNIFORM: Final = "uniform"
FILES: Final = (".parquet", ".csv")


@runtime_checkable
class TabulatedPolicy(Protocol):
    """Policies that tabulate themselves, such as those of networks."""

    def tabulate(self, form: Form) -> TabularPolicy:
        """Return the policy at all infostates of a game."""
        ...


def resolve_blueprint(blueprint: object, form: Form | None) -> Policy | None:
    """Return the policy of a blueprint; None for the uniform one.

    Parameters
    ----------
    blueprint
        As in `ContinualResolving`. The name of a method means its result on the form, and
        `zoo:NAME` a policy that is installed with the library.
    form
        The form on which the game is searched; None without a tree or a public form.

    Raises
    ------
    ParameterError
        If the value is neither a policy nor one of the other kinds.
    UnknownNameError
        If no method or policy has the name.
    UnsupportedGameError
        If a name or a file needs a form.
    """
    if isinstance(blueprint, SolveResult):
        blueprint = blueprint.policy
    if blueprint is None or blueprint == UNIFORM:
        return None
    if isinstance(blueprint, str | Path):
        if form is None:
            raise UnsupportedGameError(
                f"blueprint={str(blueprint)!r} needs the tree or the public form of the game, "
                "which is not built; give a policy, such as a network, or 'uniform'"
            )
        return _of_name(str(blueprint), form)
    try:
        return as_policy(blueprint)
    except ParameterError:
        raise ParameterError(
            f"blueprint={blueprint!r} is not a policy; give one, such as the policy of a result of "
            "solve or train, a function of an infostate and its legal actions, 'uniform', the name "
            "of a method such as 'cfr+', or a policy of the zoo such as 'zoo:kuhn_poker'"
        ) from None


def tabular_blueprint(form: Form, blueprint: object) -> TabularPolicy:
    """Return the table of a blueprint, which may be given as in `resolve_blueprint`."""
    policy = resolve_blueprint(blueprint, form)
    if policy is None:
        return uniform_policy(form)
    if isinstance(policy, TabularPolicy):
        return transfer_policy(policy, form)
    if isinstance(policy, TabulatedPolicy):
        return policy.tabulate(form)
    return tabulate(form, [policy] * form.num_players)


def _of_name(name: str, form: Form) -> Policy:
    if METHODS.knows(name):
        return run_method(get_method(name), form, make_budget(form)).policy
    if is_zoo_name(name):
        return load_policy(zoo_path(name), form)
    if name.lower().endswith(FILES):
        read = load_policy_csv if name.lower().endswith(FILES[1]) else load_policy
        return read(name, form)
    if Path(name).exists():
        raise PolicyFileError(
            f"{name} is not a file that ends in {' or '.join(FILES)}; read its policy by "
            "infoset.load_policy(path, game)"
        )
    raise UnknownNameError.of("blueprint", name, [UNIFORM, *METHODS])
