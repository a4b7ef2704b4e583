"""The kind of a subject, determined without executing its file in this process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast, get_args

from infoset.benchmark.child_process import ChildJob, ChildLimits, run_children
from infoset.benchmark.subjects import Subject, SubjectKind, find_subject
from infoset.errors import InfosetError, ParameterError, SubjectShapeError, UnknownNameError
from infoset.front.python_files import is_python_file
from infoset.utils.arguments import check_type

LIMITS: Final = ChildLimits(60.0)

ERRORS: Final = {
    error.__name__: error for error in (ParameterError, SubjectShapeError, UnknownNameError)
}


def describe_subject(text: str) -> Subject:
    """Return what a text names, without `spec` if it is an object of a Python file.

    Such a file is executed in a child process: code that runs in the process that measures could
    change its measurements.

    Raises
    ------
    UnknownNameError, SubjectShapeError, ParameterError
        As `find_subject`, or if the process ends without an answer.
    """
    check_type("subject", text, str, "a name such as pcfr+, or file.py:NAME")
    if not is_python_file(text):
        return find_subject(text)
    found: list[Mapping[str, Any]] = []
    job = ChildJob({"task": "subject", "text": text}, lambda message, _: found.append(message))
    (end,) = run_children([job], LIMITS)
    if not found:
        reason = end.reason or "its process reported nothing"
        raise ParameterError(f"{text} cannot be loaded: {reason}")
    message = found[0]
    if message["kind"] == "wrong":
        error: type[InfosetError] = ERRORS.get(str(message.get("error")), ParameterError)
        raise error(str(message.get("message")))
    name, kind, draws = (message.get(key) for key in ("name", "subject", "draws"))
    if not isinstance(name, str) or kind not in get_args(SubjectKind):
        raise ParameterError(f"the process of {text} did not report what kind of subject it is")
    return Subject(text, name, cast(SubjectKind, kind), draws=bool(draws))
