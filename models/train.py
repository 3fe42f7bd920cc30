#!/usr/bin/env python3
"""Trains the static model on texts, starting from the table that `distil.py` writes.

    python3 -m venv .venv
    .venv/bin/pip install --no-deps -r models/requirements.txt
    .venv/bin/python models/distil.py start.hark
    .venv/bin/python models/train.py start.hark static-256.hark [FOLDER]

`corpus.py` takes pairs out of the packages in `corpus.txt` (fetched into FOLDER): what a function does and its code, a
comment and the lines below it, a heading and its section, a sentence and the rest of its paragraph, a word and its
gloss. The rows move so that the two halves of a pair are nearer than the halves of different pairs, and so that
texts are as near as the sentence encoder finds them. One thread and fixed seeds: two runs on one kind of processor write
the same bytes.
"""
import os
import pickle
import sys
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy as np  # noqa: E402
from scipy.sparse import csr_matrix  # noqa: E402

import corpus  # noqa: E402
from distil import write  # noqa: E402
from tokens import WORD, Tokenizer, parts, read  # noqa: E402

HERE = Path(__file__).resolve().parent
TOKENS = 200  # of a text that are read
MAX_ROWS = 32_200  # of 9 MB in the repository; below 32,768 the hash table is half as large
NEW_WORD = 40  # texts that hold a word before it gets a row of its own

BATCH = 2048
STEPS = 800
WARM = 50  # steps until the full rate
RATE = 0.015
PULL = 0.02  # toward the rows at the start, per step at rate 1
WAY = 0.75  # from the rows at the start to those at the end: less forgotten, hardly less learned
SHARP = 0.05  # temperature, for pairs and teacher
TEACHER = 0.4  # share of steps that learn from the sentence encoder

# How often another step is of a kind; "code" is functions of all languages in one batch, in these shares.
MIX = {"code": 6.5, "comment": 1, "section": 1, "rest": 1.5, "gloss": 0.3, "example": 0.2, "synonyms": 0.3}
LANGUAGES = {"python": 0.5, "javascript": 0.3, "rust": 0.2}
CALLED = {"python": ["python"], "javascript": ["javascript", "js", "typescript", "node"], "rust": ["rust"]}
ASKED = ["{}", "{}", "{}", "in {}", "how to in {}", "how to", "{} function to"]

# --- texts -----------------------------------------------------------------------------------------


class Texts:
    """Numbers of rows, text after text."""

    def __init__(self, lists):
        self.starts = np.cumsum([0] + [len(rows) for rows in lists])
        self.flat = np.fromiter((row for rows in lists for row in rows), np.int32, self.starts[-1])

    def __len__(self):
        return len(self.starts) - 1

    def take(self, which):
        """-> rows of these texts, and how many are of each."""
        sizes = self.starts[which + 1] - self.starts[which]
        shift = np.repeat(self.starts[which] - np.cumsum(sizes) + sizes, sizes)
        return self.flat[shift + np.arange(len(shift))], sizes


def new_words(kinds, tokenizer, room):
    """Words of the corpus without a row, the commonest first."""
    found = {}
    for items in kinds.values():
        for item in items:
            for raw in {raw for text in item for raw in WORD.findall(text)}:
                found[raw] = found.get(raw, 0) + 1
    counts = {}
    for raw, count in found.items():
        cut = parts(raw)
        for part in cut[1] if cut else ():
            if 3 <= len(part) <= 20 and part.isalpha() and part not in tokenizer.rows:
                counts[part] = counts.get(part, 0) + count
    words = sorted((w for w, count in counts.items() if count >= NEW_WORD), key=lambda w: (-counts[w], w))
    return words[:room]


def drop(part, share, rng):
    """Without some of the tokens."""
    flat, sizes = part
    keep = rng.random(len(flat)) >= share
    text = np.repeat(np.arange(len(sizes)), sizes)[keep]
    return flat[keep], np.bincount(text, minlength=len(sizes))


def phrases(language, tokenize):
    """How people name a language when they ask; four times out of eleven they do not."""
    names = CALLED[language]
    return [[]] * 4 * len(names) + [tokenize(asked.format(name)) for name in names for asked in ASKED]


def chosen(lists, count, rng):
    """So many of these, at random."""
    which = rng.integers(0, len(lists), count)
    return Texts(lists).take(which)


def functions(data, decks, phrasing, rng):
    """Both sides of a batch of functions. Each side is a list of parts to be joined."""
    chance, sides = rng.random(), []
    for language, share in LANGUAGES.items():
        which = decks[language].draw(int(BATCH * share))
        summary, name, rest, code = (column.take(which) for column in data[language])
        asked = chosen(phrasing[language], len(which), rng)
        if chance < 0.3:
            sides.append(([drop(summary, 0.15, rng), asked], [code]))
        elif chance < 0.85:
            # A question shares some words with the comment, never all.
            seen = [drop(summary, 0.5, rng), drop(rest, 0.5, rng)]
            sides.append(([drop(summary, 0.35, rng), asked], [name, *seen, code]))
        else:
            sides.append(([name, asked], [summary, rest]))
    return tuple([tuple(map(np.concatenate, zip(*part))) for part in zip(*side)] for side in zip(*sides))


# --- gradients -------------------------------------------------------------------------------------


class Bags:
    """Vectors of texts as sums of rows, and the way back."""

    def __init__(self, local, sizes, rows):
        text = np.concatenate([np.repeat(np.arange(len(s)), s) for s in sizes])
        self.matrix = csr_matrix((np.ones(len(local), np.float32), (text, local)), (len(sizes[0]), len(rows)))
        total = self.matrix @ rows
        self.lengths = np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-6)
        self.vectors = total / self.lengths

    def back(self, gradient):
        along = (gradient * self.vectors).sum(1, keepdims=True) * self.vectors
        return self.matrix.T @ ((gradient - along) / self.lengths)


def softmax(scores):
    scores = np.exp(scores - scores.max(1, keepdims=True))
    return scores / scores.sum(1, keepdims=True)


def contrast(a, b, wanted=None):
    """Cross entropy of each text's pair among the batch, both ways; `wanted` are the shares aimed at, if not the pair's
    alone. -> loss, gradients by a and b."""
    scores = a @ b.T / SHARP
    there, back = softmax(scores), softmax(scores.T)
    if wanted is None:
        loss = -np.log(np.diag(there) + 1e-9).mean() - np.log(np.diag(back) + 1e-9).mean()
        gradient = there + back.T
        gradient[np.arange(len(a)), np.arange(len(a))] -= 2
    else:
        ahead, behind = wanted
        loss = -(ahead * np.log(there + 1e-9)).sum(1).mean() - (behind * np.log(back + 1e-9)).sum(1).mean()
        gradient = there - ahead + (back - behind).T
    gradient *= 0.5 / (SHARP * len(a))
    return loss / 2, gradient @ b, gradient.T @ a


class Adam:
    """Moves only the rows that a batch touched."""

    def __init__(self, rows):
        self.rows, self.steps = rows, 0
        self.mean, self.square = np.zeros_like(rows), np.zeros_like(rows)

    def step(self, touched, gradient, rate):
        self.steps += 1
        mean = self.mean[touched] = 0.9 * self.mean[touched] + 0.1 * gradient
        square = self.square[touched] = 0.99 * self.square[touched] + 0.01 * gradient * gradient
        mean, square = mean / (1 - 0.9**self.steps), square / (1 - 0.99**self.steps)
        self.rows[touched] -= rate * mean / (np.sqrt(square) + 1e-7)


class Deck:
    """Batches without repetition until all is through."""

    def __init__(self, size, rng):
        self.size, self.rng, self.order, self.at = size, rng, rng.permutation(size), 0

    def draw(self, count):
        count = min(count, self.size)
        if self.at + count > self.size:
            self.order, self.at = self.rng.permutation(self.size), 0
        self.at += count
        return self.order[self.at - count : self.at]


# --- teacher ---------------------------------------------------------------------------------------

# Pairs of each kind that the encoder reads, both sides: about ten minutes.
TAUGHT = {
    "python": 5000,
    "javascript": 1000,
    "rust": 1000,
    "comment": 2000,
    "section": 1000,
    "rest": 4000,
    "example": 8000,
    "gloss": 4000,
}


def both_sides(item):
    """A pair as the encoder reads it; a function with its comment inside."""
    if len(item) == 2:
        return item
    summary, _name, rest, code = item
    head, _, body = code.partition("\n")
    return summary, f'{head}\n    """{summary}. {rest[:200]}"""\n{body}'


def taught(kinds, held_out):
    """kind -> (pairs, vectors of one side, of the other)."""
    from teacher import Teacher

    rng = np.random.default_rng(2)
    chosen = {}
    for kind, count in TAUGHT.items():
        items = kinds[kind]
        which = np.sort(rng.choice(len(items), min(count, len(items)), replace=False))
        chosen[kind] = [both_sides(items[i]) for i in which if corpus.digest(items[i]) not in held_out]
    vectors = Teacher()([text for items in chosen.values() for item in items for text in item]).astype(np.float16)
    out, at = {}, 0
    for kind, items in chosen.items():
        here = vectors[at : at + 2 * len(items)]
        at += 2 * len(items)
        out[kind] = (items, here[0::2], here[1::2])
    return out


# --- training --------------------------------------------------------------------------------------


def fit(start, data, lessons, phrasing):
    """-> the rows at the end."""
    rng = np.random.default_rng(1)
    rows = start.copy()
    adam = Adam(rows)
    # A word as frequent as "the" takes small steps, else its row would be noise in every text.
    lengths = np.linalg.norm(start, axis=1, keepdims=True)
    pace = np.sqrt(np.clip(lengths / np.median(lengths), 0.02, 1))
    decks = {kind: Deck(len(columns[0]), rng) for kind, columns in data.items()}
    shares = np.array(list(MIX.values())) / sum(MIX.values())
    taught_decks = {kind: Deck(len(lesson[0]), rng) for kind, lesson in lessons.items()}
    taught_shares = np.array([float(len(lesson[0])) for lesson in lessons.values()])
    taught_shares /= taught_shares.sum()
    for step in range(STEPS):
        wanted = None
        if rng.random() < TEACHER:
            kind = list(lessons)[rng.choice(len(lessons), p=taught_shares)]
            which = taught_decks[kind].draw(BATCH)
            one, two, *vectors = lessons[kind]
            a, b = [drop(one.take(which), 0.1, rng)], [drop(two.take(which), 0.1, rng)]
            near = np.float32(vectors[0][which]) @ np.float32(vectors[1][which]).T / SHARP
            wanted = softmax(near), softmax(near.T)
        else:
            kind = list(MIX)[rng.choice(len(MIX), p=shares)]
            if kind == "code":
                a, b = functions(data, decks, phrasing, rng)
            else:
                which = decks[kind].draw(BATCH)
                a, b = [drop(data[kind][0].take(which), 0.1, rng)], [data[kind][1].take(which)]
        flat, first = np.concatenate([part for part, _ in a + b]), sum(len(part) for part, _ in a)
        touched, local = np.unique(flat, return_inverse=True)
        left = Bags(local[:first], [sizes for _, sizes in a], rows[touched])
        right = Bags(local[first:], [sizes for _, sizes in b], rows[touched])
        loss, by_left, by_right = contrast(left.vectors, right.vectors, wanted)
        rate = RATE * (1 - step / STEPS) * min(1, (step + 1) / WARM)
        adam.step(touched, left.back(by_left) + right.back(by_right), rate * pace[touched])
        rows[touched] -= rate * PULL * (rows[touched] - start[touched])
        print(f"\rstep {step + 1}/{STEPS}, loss {loss:.2f} ({kind}) ", end="", file=sys.stderr)
    print(file=sys.stderr)
    return rows


def kept(path, make):
    """What a step gave the last time, or now."""
    if not path.exists():
        path.write_bytes(pickle.dumps(make()))
    return pickle.loads(path.read_bytes())


def gathered(folder, held_out):
    corpus.fetch(HERE / "corpus.txt", folder)
    return corpus.pairs(folder, HERE / "corpus.txt", held_out)


def main():
    before, out = Path(sys.argv[1]), Path(sys.argv[2])
    folder = Path(sys.argv[3] if len(sys.argv) > 3 else "corpus")
    held_out = set((HERE / "held_out.txt").read_text().split())
    kinds = kept(folder / "pairs.pickle", lambda: gathered(folder, held_out))
    lessons = kept(folder / "taught.pickle", lambda: taught(kinds, held_out))
    kinds = corpus.allowed(kinds, held_out)

    tokens, values, scales = read(before)
    start = np.float32(values) * scales[:, None]
    old = Tokenizer(tokens)
    words = new_words(kinds, old, MAX_ROWS - len(tokens))
    # A new word starts as the sum of its pieces: what it was without a row.
    start = np.concatenate([start, [start[list(old.word(word))].sum(0) for word in words]])
    tokens = tokens + words
    tokenizer = Tokenizer(tokens)

    def texts(column):
        return Texts([tokenizer(text, TOKENS) for text in column])

    data = {kind: [texts(column) for column in zip(*items)] for kind, items in kinds.items()}
    lessons = {kind: (*(texts(side) for side in zip(*items)), *vectors) for kind, (items, *vectors) in lessons.items()}
    phrasing = {language: phrases(language, tokenizer) for language in LANGUAGES}

    rows = start + WAY * (fit(start, data, lessons, phrasing) - start)
    # The product compares lengths with fixed numbers, so they stay what they were.
    rows *= np.median(np.linalg.norm(start, axis=1)) / np.median(np.linalg.norm(rows, axis=1))
    write(out, tokens, rows.astype(np.float64), np.ones(len(tokens)))


if __name__ == "__main__":
    main()
