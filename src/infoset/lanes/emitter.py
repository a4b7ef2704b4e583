"""The type of eight numbers, and how instructions on them are written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias, cast

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

__all__ = [
    "INT32",
    "INT64",
    "LANES",
    "Emitter",
    "Lanes",
    "LanesType",
    "alignment",
    "as_intrinsic",
    "suffix",
]

LANES: Final = 8
"""How many numbers stand side by side."""

Lanes: TypeAlias = Any
"""Eight numbers, in the signatures of kernels: checkers of types cannot know them."""

INT32 = ir.IntType(32)
INT64 = ir.IntType(64)


class LanesType(types.Type):
    """Numba's type of eight numbers of one float type."""

    def __init__(self, dtype: types.Float) -> None:
        self.dtype = dtype
        super().__init__(name=f"Lanes({dtype})")


@register_model(LanesType)
class LanesModel(models.PrimitiveModel):
    """Lanes are one vector of the compiler."""

    def __init__(self, manager: Any, lanes: LanesType) -> None:
        number = ir.FloatType() if lanes.dtype == types.float32 else ir.DoubleType()
        vector = ir.VectorType(number, LANES)
        super().__init__(manager, lanes, vector)  # type: ignore[no-untyped-call]


class Emitter:
    """Writes the instructions of one call, whose values are `args` of the types in `signature`."""

    def __init__(self, context: Any, builder: Any, signature: Any, args: Any) -> None:
        self.context = context
        self.builder = builder
        self.signature = signature
        self.args = args

    def index(self, position: int) -> Any:
        """Return an argument as an index."""
        return self.extended(self.args[position])

    def extended(self, value: Any) -> Any:
        """Return a number that is not negative in 64 bits."""
        return self.builder.zext(value, INT64) if value.type.width < 64 else value

    def address(self, position: int, index: Any, of: Any) -> Any:
        """Return the address of an array's element, as that of a value of type `of`."""
        kind = self.signature.args[position]
        array = self.context.make_array(kind)(self.context, self.builder, self.args[position])
        return self.builder.bitcast(self.builder.gep(array.data, [index]), of.as_pointer())

    def indirect(self, position: int, index: Any) -> Any:
        """Return an element of an array of indices, as an index."""
        kind = self.context.get_value_type(self.signature.args[position].dtype)
        return self.extended(self.builder.load(self.address(position, index, kind)))

    def spread(self, value: Any, vector: Any) -> Any:
        """Return a vector with one value in every lane."""
        undefined = ir.Constant(vector, ir.Undefined)
        first = self.builder.insert_element(undefined, value, INT32(0))
        zeros = ir.Constant(ir.VectorType(INT32, LANES), None)
        return self.builder.shuffle_vector(first, undefined, zeros)

    def lanes(self, position: int, vector: Any) -> Any:
        """Return an argument as a vector: lanes as they are, a number in every lane."""
        kind, value = self.signature.args[position], self.args[position]
        if isinstance(kind, LanesType):
            return value
        number = types.float32 if isinstance(vector.element, ir.FloatType) else types.float64
        return self.spread(self.context.cast(self.builder, value, kind, number), vector)

    def mask(self, position: int) -> Any:
        """Return which lanes come before an argument."""
        vector = ir.VectorType(INT32, LANES)
        count = self.builder.trunc(self.index(position), INT32)
        numbers = ir.Constant(vector, list(range(LANES)))
        return self.builder.icmp_unsigned("<", numbers, self.spread(count, vector))

    def is_whole(self, position: int) -> Any:
        """Return whether an argument, a count, takes in all lanes."""
        return self.builder.icmp_unsigned(">=", self.index(position), INT64(LANES))

    def call(self, name: str, result: Any, values: list[Any]) -> Any:
        """Call an intrinsic of the compiler."""
        kind = ir.FunctionType(result, [value.type for value in values])
        function = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
            self.builder.module, kind, name
        )
        return self.builder.call(function, values)


def suffix(vector: Any) -> str:
    """Return how the compiler's intrinsics on a vector end."""
    return f"v{LANES}f{32 if isinstance(vector.element, ir.FloatType) else 64}"


def alignment(vector: Any) -> int:
    """Return the bytes of one number: where numbers stand, vectors may begin."""
    return 4 if isinstance(vector.element, ir.FloatType) else 8


def as_intrinsic(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function of kernels of one that types and emits its calls."""
    return cast(Callable[..., Any], intrinsic(function))
