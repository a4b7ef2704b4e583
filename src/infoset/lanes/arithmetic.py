"""Arithmetic of lanes: operators and functions, lane by lane."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.extending import overload

from infoset.lanes.emitter import Emitter, LanesType, as_intrinsic, suffix

__all__ = ["maximum", "square_root", "where_positive"]


def _lane_by_lane(operands: tuple[Any, ...], instructions: Callable[..., Any]) -> Any:
    """Type and emit what `instructions` do to vectors: operands are lanes or numbers."""
    lanes = next(kind for kind in operands if isinstance(kind, LanesType))

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        write = Emitter(context, builder, signature, args)
        vector = context.get_value_type(lanes)
        return instructions(write, *(write.lanes(i, vector) for i in range(len(args))))

    return lanes(*operands), emit


def _maximum(typing: Any, a: Any, b: Any) -> Any:
    """Return the greater one of a and b in each lane."""

    def instructions(write: Emitter, a: Any, b: Any) -> Any:
        return write.builder.select(write.builder.fcmp_ordered(">", a, b), a, b)

    return _lane_by_lane((a, b), instructions)


def _where_positive(typing: Any, sign: Any, a: Any, b: Any) -> Any:
    """Return a in the lanes where `sign` is above zero, b in the others."""

    def instructions(write: Emitter, sign: Any, a: Any, b: Any) -> Any:
        zero = ir.Constant(sign.type, None)
        return write.builder.select(write.builder.fcmp_ordered(">", sign, zero), a, b)

    return _lane_by_lane((sign, a, b), instructions)


def _square_root(typing: Any, a: Any) -> Any:
    """Return the square root in each lane."""

    def instructions(write: Emitter, a: Any) -> Any:
        return write.call(f"llvm.sqrt.{suffix(a.type)}", a.type, [a])

    return _lane_by_lane((a,), instructions)


maximum = as_intrinsic(_maximum)
where_positive = as_intrinsic(_where_positive)
square_root = as_intrinsic(_square_root)


def _define_operator(symbol: Callable[[Any, Any], Any], instruction: str) -> None:
    """Let an operator take lanes beside lanes or numbers."""

    def _operate(typing: Any, a: Any, b: Any) -> Any:
        def instructions(write: Emitter, a: Any, b: Any) -> Any:
            return getattr(write.builder, instruction)(a, b)

        return _lane_by_lane((a, b), instructions)

    operate = as_intrinsic(_operate)

    def apply(a: Any, b: Any) -> Any:
        return operate(a, b)

    def implement(a: Any, b: Any) -> Any:
        return apply if isinstance(a, LanesType) or isinstance(b, LanesType) else None

    overload(symbol)(implement)


_define_operator(operator.add, "fadd")
_define_operator(operator.iadd, "fadd")
_define_operator(operator.sub, "fsub")
_define_operator(operator.mul, "fmul")
_define_operator(operator.truediv, "fdiv")
