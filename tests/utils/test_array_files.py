"""Files of arrays: round trips, one digest of everything, and sizes checked before memory."""

from __future__ import annotations

import json
import os
import tracemalloc
import zipfile

import numpy as np
import pytest

from infoset.utils.array_files import (
    HEADER,
    NAMES,
    content_checksum,
    read_arrays,
    write_arrays,
)

ARRAYS = {
    "numbers": np.array([[1.5, -0.0, np.nan], [np.inf, 5e-324, 0.0]]),
    "turned": np.arange(6, dtype=np.int32).reshape(2, 3).T,
    "none": np.zeros((3, 0), np.float32),
    "one": np.array(7),
    "flags": np.array([True, False]),
}
HEADER_VALUES = {"format": 2, "game": "kuhn_poker", "limits": [float("-inf"), None, 10**30]}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "some.npz"
    write_arrays(path, HEADER_VALUES, ARRAYS)
    return path


def entries_of(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_entries(path, entries, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)


def write_plain(path, header, arrays):
    """Write a file whose header is as given, without a new digest."""
    text = np.frombuffer(json.dumps({**header, NAMES: [*arrays]}).encode(), np.uint8)
    with path.open("wb") as file:
        np.savez(file, **{HEADER: text, **arrays})


def test_a_file_is_read_as_it_was_written(path):
    header, arrays = read_arrays(path)
    assert header == HEADER_VALUES
    assert [*arrays] == [*ARRAYS]
    for name, array in ARRAYS.items():
        found = arrays[name]
        assert (found.dtype, found.shape) == (array.dtype, array.shape)
        assert found.tobytes() == array.tobytes()
        assert found.flags.writeable


def test_other_programs_read_the_arrays(path):
    with np.load(path) as archive:
        np.testing.assert_array_equal(archive["turned"], ARRAYS["turned"])


CHANGES = {
    "a number": lambda h, a: (h, {**a, "numbers": a["numbers"] + 0.0}),
    "a type": lambda h, a: (h, {**a, "flags": a["flags"].view(np.uint8)}),
    "a shape": lambda h, a: (h, {**a, "one": a["one"][None]}),
    "a name": lambda h, a: (h, {"ones" if n == "one" else n: one for n, one in a.items()}),
    "the header": lambda h, a: ({**h, "game": "leduc_poker"}, a),
    "more in the header": lambda h, a: ({**h, "more": 1}, a),
}


@pytest.mark.parametrize("what", CHANGES)
def test_every_change_is_noticed(path, what):
    header = {**HEADER_VALUES, "sha256": content_checksum(HEADER_VALUES, ARRAYS)}
    write_plain(path, header, ARRAYS)
    assert read_arrays(path)[0] == HEADER_VALUES
    write_plain(path, *CHANGES[what](header, ARRAYS))
    with pytest.raises(ValueError, match="does not match its checksum"):
        read_arrays(path)


def test_only_named_formats_may_lack_a_digest(path):
    write_plain(path, HEADER_VALUES, ARRAYS)
    with pytest.raises(ValueError, match="does not match its checksum"):
        read_arrays(path)
    assert read_arrays(path, without_digest=(2,))[0] == HEADER_VALUES
    with pytest.raises(ValueError, match="does not match its checksum"):
        read_arrays(path, without_digest=(1,))


def test_a_small_file_does_not_take_much_memory(path):
    """As 200 MB of zeros that are compressed to 200 kB."""
    entries = entries_of(path)
    entries["numbers.npy"] += bytes(200_000_000)
    write_entries(path, entries, zipfile.ZIP_DEFLATED)
    del entries
    tracemalloc.start()
    with pytest.raises(ValueError, match="compressed, which infoset never does"):
        read_arrays(path)
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()


def test_entries_that_share_their_bytes_are_refused(path):
    """The directory names one large entry many times."""
    write_arrays(path, HEADER_VALUES, {"large": np.zeros(100_000)})
    with zipfile.ZipFile(path, "a") as archive:
        [large] = [one for one in archive.infolist() if one.filename == "large.npy"]
        for number in range(3):
            other = zipfile.ZipInfo(f"again{number}.npy")
            for name in ("header_offset", "file_size", "compress_size", "CRC"):
                setattr(other, name, getattr(large, name))
            archive.filelist.append(other)
            archive.NameToInfo[other.filename] = other
        archive._didModify = True
    with pytest.raises(ValueError, match="sizes larger than the file"):
        read_arrays(path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"'shape': (2, 3)", b"'shape': (9, 9)"),
        (b"'shape': (2, 3)", b"'shape': (-2,-3)"),
        (b"(2, 3), }" + b" " * 12, b"(100000000, 9), }"),
        (b"'<f8'", b"'|O8'"),
        (b"'<f8'", b"'<f2'"),
        (b"NUMPY\x01", b"NUMPY\x07"),
    ],
)
def test_arrays_with_a_wrong_description_are_refused(path, old, new):
    entries = entries_of(path)
    before = entries["numbers.npy"]
    entries["numbers.npy"] = before.replace(old, new, 1)[: len(before)]
    assert entries["numbers.npy"] != before
    write_entries(path, entries)
    with pytest.raises(ValueError, match=r"."):
        read_arrays(path)


@pytest.mark.parametrize("change", ["lost", "twice", "no header"])
def test_entries_are_those_that_were_written(path, change):
    entries = entries_of(path)
    if change == "twice":
        with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("one.npy", entries["one.npy"])
    else:
        del entries["one.npy" if change == "lost" else "header.npy"]
        write_entries(path, entries)
    with pytest.raises(ValueError, match=r"does not contain the arrays|missing|twice"):
        read_arrays(path)


@pytest.mark.parametrize(
    "header", [b"[]", b"3", b"\xff", b'{"format": 2, "format": 3}', b"[" * 99_999]
)
def test_headers_that_are_not_objects_are_refused(path, header):
    with path.open("wb") as file:
        np.savez(file, header=np.frombuffer(header, np.uint8))
    with pytest.raises(ValueError, match=r"object|UTF-8|twice|deeply"):
        read_arrays(path)


def test_pipes_folders_and_missing_files(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(ValueError, match="not a file"):
            read_arrays(path)
    with pytest.raises(FileNotFoundError):
        read_arrays(tmp_path / "absent")
