"""Universal Binary JSON, as XGBoost writes its models: bytes in, plain values out.

Arrays of numbers become numpy arrays in one step, without any text to parse.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

# codes that struct and numpy share; numbers are big-endian
NUMBERS = {b"i": ">b", b"U": ">B", b"I": ">h", b"l": ">i", b"L": ">q", b"d": ">f", b"D": ">d"}
CONSTANTS = {b"T": True, b"F": False, b"Z": None}


def parse(data: bytes) -> Any:
    """Return the value that the bytes hold."""
    return _Reader(data).value()


class _Reader:
    """A position in the bytes, which moves on with every value read."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, size: int = 1) -> bytes:
        self.at += size
        return self.data[self.at - size : self.at]

    def passes(self, marker: bytes) -> bool:
        """Whether the marker comes next, which is then behind us."""
        found = self.data[self.at : self.at + 1] == marker
        self.at += found
        return found

    def value(self) -> Any:
        kind = self.take()
        if kind in NUMBERS:
            code = NUMBERS[kind]
            return struct.unpack(code, self.take(struct.calcsize(code)))[0]
        if kind in CONSTANTS:
            return CONSTANTS[kind]
        readers = {b"S": self.text, b"[": self.array, b"{": self.mapping}
        if kind not in readers:
            raise ValueError(f"UBJSON: unknown kind {kind!r} at byte {self.at - 1}")
        return readers[kind]()

    def text(self) -> str:
        return self.take(self.value()).decode()

    def array(self) -> Any:
        """Numbers of one kind ($kind#size), so many values (#size), or values up to the end."""
        if self.passes(b"$"):
            dtype = np.dtype(NUMBERS[self.take()])
            self.take()  # "#"
            return np.frombuffer(self.take(self.value() * dtype.itemsize), dtype)
        if self.passes(b"#"):
            return [self.value() for _ in range(self.value())]
        values = []
        while not self.passes(b"]"):
            values.append(self.value())
        return values

    def mapping(self) -> dict[str, Any]:
        values = {}
        while not self.passes(b"}"):
            name = self.text()
            values[name] = self.value()
        return values
