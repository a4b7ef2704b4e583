"""SIMD inside kernels: vectors of eight numbers with explicit instructions.

Compilers vectorize long loops. For short loops (over a few actions, or the few infostates of a
public state) and loops that accumulate, kernels use explicit vector operations. On processors with
shorter vectors, the compiler splits a `Lanes` value into several vectors. Results are the same bit
for bit, because every lane follows IEEE arithmetic.

Only kernels can call these functions. In `+`, `-`, `*`, `/` and `maximum`, a number is broadcast
to all lanes. Indices are not checked.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeAlias, cast

from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

from infoset.utils import _interpreted_simd
from infoset.utils._interpreted_simd import LANES as LANES

Lanes: TypeAlias = Any
"""A vector of eight numbers, in signatures of kernels; static type checkers cannot check it."""

INT32 = ir.IntType(32)
INT64 = ir.IntType(64)


class LanesType(types.Type):
    """Numba type of a vector of eight numbers of one float type."""

    def __init__(self, dtype: types.Float) -> None:
        self.dtype = dtype
        super().__init__(name=f"Lanes({dtype})")


@register_model(LanesType)
class LanesModel(models.PrimitiveModel):
    """Data model that represents lanes by one LLVM vector."""

    def __init__(self, manager: Any, lanes: LanesType) -> None:
        number = ir.FloatType() if lanes.dtype == types.float32 else ir.DoubleType()
        vector = ir.VectorType(number, LANES)
        super().__init__(manager, lanes, vector)  # type: ignore[no-untyped-call]


class Emitter:
    """Emitter of the LLVM instructions of one call; `signature` has the types of `args`."""

    def __init__(self, context: Any, builder: Any, signature: Any, args: Any) -> None:
        self.context = context
        self.builder = builder
        self.signature = signature
        self.args = args

    def index(self, position: int) -> Any:
        """Return an argument as a 64-bit index."""
        return self.extended(self.args[position])

    def extended(self, value: Any) -> Any:
        """Extend a nonnegative integer to 64 bits."""
        return self.builder.zext(value, INT64) if value.type.width < 64 else value

    def address(self, position: int, index: Any, of: Any) -> Any:
        """Return the address of an array element, cast to a pointer to type `of`."""
        kind = self.signature.args[position]
        array = self.context.make_array(kind)(self.context, self.builder, self.args[position])
        return self.builder.bitcast(self.builder.gep(array.data, [index]), of.as_pointer())

    def indirect(self, position: int, index: Any) -> Any:
        """Return an element of an index array as a 64-bit index."""
        kind = self.context.get_value_type(self.signature.args[position].dtype)
        return self.extended(self.builder.load(self.address(position, index, kind)))

    def spread(self, value: Any, vector: Any) -> Any:
        """Broadcast a value to all lanes."""
        undefined = ir.Constant(vector, ir.Undefined)
        first = self.builder.insert_element(undefined, value, INT32(0))
        zeros = ir.Constant(ir.VectorType(INT32, LANES), None)
        return self.builder.shuffle_vector(first, undefined, zeros)

    def lanes(self, position: int, vector: Any) -> Any:
        """Return an argument as a vector; a number is broadcast to all lanes."""
        kind, value = self.signature.args[position], self.args[position]
        if isinstance(kind, LanesType):
            return value
        number = types.float32 if isinstance(vector.element, ir.FloatType) else types.float64
        return self.spread(self.context.cast(self.builder, value, kind, number), vector)

    def mask(self, position: int) -> Any:
        """Return the mask of the lanes with an index below a count argument."""
        vector = ir.VectorType(INT32, LANES)
        count = self.builder.trunc(self.index(position), INT32)
        numbers = ir.Constant(vector, list(range(LANES)))
        return self.builder.icmp_unsigned("<", numbers, self.spread(count, vector))

    def is_whole(self, position: int) -> Any:
        """Return whether a count argument includes all lanes."""
        return self.builder.icmp_unsigned(">=", self.index(position), INT64(LANES))

    def call(self, name: str, result: Any, values: list[Any]) -> Any:
        """Call an LLVM intrinsic."""
        kind = ir.FunctionType(result, [value.type for value in values])
        function = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
            self.builder.module, kind, name
        )
        return self.builder.call(function, values)


def suffix(vector: Any) -> str:
    """Return the type suffix of LLVM intrinsics on a vector."""
    return f"v{LANES}f{32 if isinstance(vector.element, ir.FloatType) else 64}"


def alignment(vector: Any) -> int:
    """Return the alignment in bytes: that of one number, since vectors may begin at any element."""
    return 4 if isinstance(vector.element, ir.FloatType) else 8


def as_intrinsic(function: Callable[..., Any]) -> Callable[..., Any]:
    """Turn a function that types and emits calls into a function for kernels.

    If Numba's compiler is disabled, return the function of the same name in plain NumPy.
    """
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return cast(Callable[..., Any], getattr(_interpreted_simd, function.__name__[1:]))
    return cast(Callable[..., Any], intrinsic(function))


def _lane_by_lane(operands: tuple[Any, ...], instructions: Callable[..., Any]) -> Any:
    """Type and emit an elementwise operation on operands that are lanes or numbers."""
    lanes = next(kind for kind in operands if isinstance(kind, LanesType))

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        write = Emitter(context, builder, signature, args)
        vector = context.get_value_type(lanes)
        return instructions(write, *(write.lanes(i, vector) for i in range(len(args))))

    return lanes(*operands), emit


def _maximum(typing: Any, a: Any, b: Any) -> Any:
    """Return the elementwise maximum of a and b."""

    def instructions(write: Emitter, a: Any, b: Any) -> Any:
        return write.builder.select(write.builder.fcmp_ordered(">", a, b), a, b)

    return _lane_by_lane((a, b), instructions)


def _where_positive(typing: Any, sign: Any, a: Any, b: Any) -> Any:
    """Return a in the lanes where `sign` is positive, and b in the others."""

    def instructions(write: Emitter, sign: Any, a: Any, b: Any) -> Any:
        zero = ir.Constant(sign.type, None)
        return write.builder.select(write.builder.fcmp_ordered(">", sign, zero), a, b)

    return _lane_by_lane((sign, a, b), instructions)


def _square_root(typing: Any, a: Any) -> Any:
    """Return the elementwise square root."""

    def instructions(write: Emitter, a: Any) -> Any:
        return write.call(f"llvm.sqrt.{suffix(a.type)}", a.type, [a])

    return _lane_by_lane((a,), instructions)


maximum = as_intrinsic(_maximum)
where_positive = as_intrinsic(_where_positive)
square_root = as_intrinsic(_square_root)


def _define_operator(symbol: Callable[[Any, Any], Any], instruction: str) -> None:
    """Overload an operator for lanes with lanes or numbers."""

    def _operate(typing: Any, a: Any, b: Any) -> Any:
        def instructions(write: Emitter, a: Any, b: Any) -> Any:
            return getattr(write.builder, instruction)(a, b)

        return _lane_by_lane((a, b), instructions)

    operate = cast(Callable[..., Any], intrinsic(_operate))

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


def _filled(typing: Any, array: Any, value: Any) -> Any:
    """Return lanes of the element type of an array, all equal to `value`."""
    lanes = LanesType(array.dtype)

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        write = Emitter(context, builder, signature, args)
        return write.lanes(1, context.get_value_type(lanes))

    return lanes(array, value), emit


def _load(typing: Any, array: Any, at: Any, count: Any) -> Any:
    """Return `count` elements of an array from `at` on in the first lanes, zeros in the others."""
    lanes = LanesType(array.dtype)

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        write = Emitter(context, builder, signature, args)
        vector = context.get_value_type(lanes)
        where = write.address(0, write.index(1), vector)
        # A full load is faster than a masked one, which must not touch memory past the array.
        with builder.if_else(write.is_whole(2)) as (whole, part):
            with whole:
                plain = builder.load(where, align=alignment(vector))
                after_plain = builder.block
            with part:
                zeros = ir.Constant(vector, None)
                values = [where, INT32(alignment(vector)), write.mask(2), zeros]
                masked = write.call(f"llvm.masked.load.{suffix(vector)}.p0", vector, values)
                after_masked = builder.block
        result = builder.phi(vector)
        result.add_incoming(plain, after_plain)
        result.add_incoming(masked, after_masked)
        return result

    return lanes(array, at, count), emit


def _store(typing: Any, array: Any, at: Any, count: Any, lanes: Any) -> Any:
    """Store the first `count` lanes in an array from `at` on."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        write = Emitter(context, builder, signature, args)
        vector = args[3].type
        where = write.address(0, write.index(1), vector)
        with builder.if_else(write.is_whole(2)) as (whole, part):
            with whole:
                builder.store(args[3], where, align=alignment(vector))
            with part:
                values = [args[3], where, INT32(alignment(vector)), write.mask(2)]
                write.call(f"llvm.masked.store.{suffix(vector)}.p0", ir.VoidType(), values)
        return context.get_dummy_value()

    return types.void(array, at, count, lanes), emit


def _take(typing: Any, array: Any, indices: Any, at: Any, count: Any) -> Any:
    """Return array[indices[at]], …, array[indices[at + count - 1]]; other lanes are arbitrary."""
    lanes = LanesType(array.dtype)

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        write = Emitter(context, builder, signature, args)
        vector = context.get_value_type(lanes)
        result = ir.Constant(vector, ir.Undefined)
        for lane in range(LANES):
            # Lanes past the count use the first index again, which is always valid.
            is_there = builder.icmp_unsigned(">", write.index(3), INT64(lane))
            ahead = builder.select(is_there, INT64(lane), INT64(0))
            index = write.indirect(1, builder.add(write.index(2), ahead))
            value = builder.load(write.address(0, index, vector.element))
            result = builder.insert_element(result, value, INT32(lane))
        return result

    return lanes(array, indices, at, count), emit


def _add_at(typing: Any, array: Any, indices: Any, at: Any, count: Any, lanes: Any) -> Any:
    """Add the first lanes to array[indices[at]], …, array[indices[at + count - 1]], in order."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        write = Emitter(context, builder, signature, args)
        # Lanes are added one by one, because indices may be equal.
        for lane in range(LANES):
            is_there = builder.icmp_unsigned(">", write.index(3), INT64(lane))
            with builder.if_then(is_there, likely=True):
                index = write.indirect(1, builder.add(write.index(2), INT64(lane)))
                where = write.address(0, index, args[4].type.element)
                value = builder.extract_element(args[4], INT32(lane))
                builder.store(builder.fadd(builder.load(where), value), where)
        return context.get_dummy_value()

    return types.void(array, indices, at, count, lanes), emit


def _transposed(builder: Any, rows: list[Any]) -> list[Any]:
    """Return the columns of a matrix of 8 x 8 numbers, given its rows, or the other way round."""
    # Blocks of 1, then of 2, then of 4 numbers change places across the diagonal.
    for size in (1, 2, 4):
        upper = [k if k & size == 0 else LANES + k - size for k in range(LANES)]
        lower = [k + size if k & size == 0 else LANES + k for k in range(LANES)]
        masks = [ir.Constant(ir.VectorType(INT32, LANES), mask) for mask in (upper, lower)]
        for i in range(LANES):
            if i & size == 0:
                a, b = rows[i], rows[i + size]
                rows[i], rows[i + size] = (builder.shuffle_vector(a, b, mask) for mask in masks)
    return rows


def _loaded(write: Emitter, where: list[Any], size: int, vector: Any) -> list[Any]:
    """Return vectors from several addresses, masked unless the count argument `size` is 8."""
    builder = write.builder
    with builder.if_else(write.is_whole(size)) as (whole, part):
        with whole:
            plain = [builder.load(address, align=alignment(vector)) for address in where]
            after_plain = builder.block
        with part:
            rest = [INT32(alignment(vector)), write.mask(size), ir.Constant(vector, None)]
            name = f"llvm.masked.load.{suffix(vector)}.p0"
            masked = [write.call(name, vector, [address, *rest]) for address in where]
            after_masked = builder.block
    found = []
    for one, other in zip(plain, masked, strict=True):
        found.append(builder.phi(vector))
        found[-1].add_incoming(one, after_plain)
        found[-1].add_incoming(other, after_masked)
    return found


def _row_addresses(write: Emitter, vector: Any) -> list[Any]:
    """Return the addresses array[starts[at + row] + offset]; rows past the count repeat the first.

    The arguments are array, starts, at, rows and offset.
    """
    found = []
    for row in range(LANES):
        is_there = write.builder.icmp_unsigned(">", write.index(3), INT64(row))
        ahead = write.builder.select(is_there, INT64(row), INT64(0))
        start = write.indirect(1, write.builder.add(write.index(2), ahead))
        found.append(write.address(0, write.builder.add(start, write.index(4)), vector))
    return found


def _take_rows(
    typing: Any,
    array: Any,
    starts: Any,
    at: Any,
    rows: Any,
    offset: Any,
    size: Any,
    weights: Any,
    weight_at: Any,
    target: Any,
    where: Any,
) -> Any:
    """Copy rows, times weights, to the columns of `target`, a matrix with 8 columns, from `where`.

    Row r is array[starts[at + r] + offset], … with `size` elements. It is multiplied by the `size`
    elements of `weights` from `weight_at` on. Columns of rows that are not there are arbitrary, and
    8 elements of each column are written.
    """

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        write = Emitter(context, builder, signature, args)
        vector = context.get_value_type(LanesType(array.dtype))
        addresses = [*_row_addresses(write, vector), write.address(6, write.index(7), vector)]
        *found, weight = _loaded(write, addresses, 5, vector)
        columns = _transposed(builder, [builder.fmul(row, weight) for row in found])
        for number, column in enumerate(columns):
            place = builder.add(write.index(9), INT64(LANES * number))
            builder.store(column, write.address(8, place, vector), align=alignment(vector))
        return context.get_dummy_value()

    arguments = (array, starts, at, rows, offset, size, weights, weight_at, target, where)
    return types.void(*arguments), emit


def _add_rows(
    typing: Any,
    array: Any,
    starts: Any,
    at: Any,
    rows: Any,
    offset: Any,
    size: Any,
    weights: Any,
    weight_at: Any,
    source: Any,
    where: Any,
) -> Any:
    """Add the columns of `source`, times weights, to rows of an array, one row after the other.

    The arguments are as in `take_rows`, with `source` in the place of `target`.
    """

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        write = Emitter(context, builder, signature, args)
        vector = context.get_value_type(LanesType(array.dtype))
        places = [builder.add(write.index(9), INT64(LANES * row)) for row in range(LANES)]
        columns = [
            builder.load(write.address(8, place, vector), align=alignment(vector))
            for place in places
        ]
        addresses = _row_addresses(write, vector)
        (weight,) = _loaded(write, [write.address(6, write.index(7), vector)], 5, vector)
        mask, align = write.mask(5), INT32(alignment(vector))
        store_name = f"llvm.masked.store.{suffix(vector)}.p0"
        for number, row in enumerate(_transposed(builder, columns)):
            is_there = builder.icmp_unsigned(">", write.index(3), INT64(number))
            with builder.if_then(is_there, likely=True):
                # Rows may be the same place of the array, so each is loaded after the last store.
                (before,) = _loaded(write, [addresses[number]], 5, vector)
                after = builder.fadd(before, builder.fmul(row, weight))
                with builder.if_else(write.is_whole(5)) as (whole, part):
                    with whole:
                        builder.store(after, addresses[number], align=alignment(vector))
                    with part:
                        values = [after, addresses[number], align, mask]
                        write.call(store_name, ir.VoidType(), values)
        return context.get_dummy_value()

    arguments = (array, starts, at, rows, offset, size, weights, weight_at, source, where)
    return types.void(*arguments), emit


filled = as_intrinsic(_filled)
load = as_intrinsic(_load)
store = as_intrinsic(_store)
take = as_intrinsic(_take)
add_at = as_intrinsic(_add_at)
take_rows = as_intrinsic(_take_rows)
add_rows = as_intrinsic(_add_rows)
