"""Between arrays and lanes: numbers that stand one after the other, or where indices say."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from infoset.lanes.emitter import (
    INT32,
    INT64,
    LANES,
    Emitter,
    LanesType,
    alignment,
    as_intrinsic,
    suffix,
)

__all__ = ["add_at", "filled", "load", "store", "take"]


def _filled(typing: Any, array: Any, value: Any) -> Any:
    """Return lanes of the type of an array's numbers, all with one value."""
    lanes = LanesType(array.dtype)

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        write = Emitter(context, builder, signature, args)
        return write.lanes(1, context.get_value_type(lanes))

    return lanes(array, value), emit


def _load(typing: Any, array: Any, at: Any, count: Any) -> Any:
    """Return the numbers of an array from `at` on; after the first `count` lanes zeros."""
    lanes = LanesType(array.dtype)

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        write = Emitter(context, builder, signature, args)
        vector = context.get_value_type(lanes)
        where = write.address(0, write.index(1), vector)
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
    """Set the numbers of an array from `at` on to the first `count` lanes."""

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
    """Return array[indices[at]], …, array[indices[at + count - 1]], then any lanes."""
    lanes = LanesType(array.dtype)

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        write = Emitter(context, builder, signature, args)
        vector = context.get_value_type(lanes)
        result = ir.Constant(vector, ir.Undefined)
        for lane in range(LANES):
            is_there = builder.icmp_unsigned(">", write.index(3), INT64(lane))
            ahead = builder.select(is_there, INT64(lane), INT64(0))
            index = write.indirect(1, builder.add(write.index(2), ahead))
            value = builder.load(write.address(0, index, vector.element))
            result = builder.insert_element(result, value, INT32(lane))
        return result

    return lanes(array, indices, at, count), emit


def _add_at(typing: Any, array: Any, indices: Any, at: Any, count: Any, lanes: Any) -> Any:
    """Add the first lanes to array[indices[at]], …, array[indices[at + count - 1]], in turn."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        write = Emitter(context, builder, signature, args)
        for lane in range(LANES):
            is_there = builder.icmp_unsigned(">", write.index(3), INT64(lane))
            with builder.if_then(is_there, likely=True):
                index = write.indirect(1, builder.add(write.index(2), INT64(lane)))
                where = write.address(0, index, args[4].type.element)
                value = builder.extract_element(args[4], INT32(lane))
                builder.store(builder.fadd(builder.load(where), value), where)
        return context.get_dummy_value()

    return types.void(array, indices, at, count, lanes), emit


filled = as_intrinsic(_filled)
load = as_intrinsic(_load)
store = as_intrinsic(_store)
take = as_intrinsic(_take)
add_at = as_intrinsic(_add_at)
