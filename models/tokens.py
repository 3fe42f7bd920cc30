"""Cuts texts into rows of the static model's table, as `crates/engine/src/embed/{fold,words,static_model}.rs` do."""
import re
import struct
from pathlib import Path

import numpy as np

MAX_TOKENS = 512  # later tokens do not change a text's vector
MAX_BYTES = 64  # longer words are encoded data


def _folds():
    """character -> its lower-case ASCII form; what is not here ends a word."""
    table = {chr(c): chr(c) for c in [*range(0x61, 0x7B), *range(0x30, 0x3A)]}
    table |= {chr(c): chr(c + 32) for c in range(0x41, 0x5B)}
    for spans, text in (
        ("c0-c5 e0-e5 100-105 1ea0-1eb7", "a"),
        ("c6 e6", "ae"),
        ("c7 e7 106-10d", "c"),
        ("d0 f0 10e-111", "d"),
        ("c8-cb e8-eb 112-11b 1eb8-1ec7", "e"),
        ("11c-123", "g"),
        ("124-127", "h"),
        ("cc-cf ec-ef 128-131 1ec8-1ecb", "i"),
        ("132 133", "ij"),
        ("134 135", "j"),
        ("136-138", "k"),
        ("139-142", "l"),
        ("d1 f1 143-14b", "n"),
        ("d2-d6 d8 f2-f6 f8 14c-151 1a0 1a1 1ecc-1ee3", "o"),
        ("152 153", "oe"),
        ("154-159", "r"),
        ("df", "ss"),
        ("15a-161 17f 218 219", "s"),
        ("162-167 21a 21b", "t"),
        ("de fe", "th"),
        ("d9-dc f9-fc 168-173 1af 1b0 1ee4-1ef1", "u"),
        ("174 175", "w"),
        ("dd fd ff 176-178 1ef2-1ef9", "y"),
        ("179-17e", "z"),
    ):
        for span in spans.split():
            first, _, last = span.partition("-")
            for c in range(int(first, 16), int(last or first, 16) + 1):
                table.setdefault(chr(c), text)
    for c in [*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B)]:
        table[chr(c)] = table[chr(c - 0xFEE0)]  # full-width forms
    return table


FOLDS = _folds()
WORD = re.compile("[" + "".join(map(re.escape, FOLDS)) + "\u0300-\u036f]+")


def parts(raw):
    """The folded word and where an identifier falls apart: `getUserById` -> get|user|by|id. None for noise."""
    word, cuts = "", []
    before = last = None
    last_start = 0
    digit = False
    for c in raw:
        folded = FOLDS.get(c)
        if folded is None:  # a combining mark
            continue
        kind = "d" if c.isnumeric() else "u" if c.isupper() else "l"
        if last == "u" and kind == "l":
            if before == "u":
                cuts.append(last_start)
        elif last is not None and last != kind and (last, kind) != ("u", "l"):
            cuts.append(len(word))
        digit |= kind == "d"
        last_start = len(word)
        word += folded
        before, last = last, kind
    cuts = sorted({c for c in cuts if 1 <= c < MAX_BYTES})
    if not word or len(word) > MAX_BYTES or (digit and len(cuts) >= 3 and len(cuts) * 3 >= len(word)):
        return None
    return word, [word[a:b] for a, b in zip([0, *cuts], [*cuts, len(word)])]


class Tokenizer:
    """Text -> numbers of rows. Remembers each spelling it has seen."""

    def __init__(self, tokens):
        self.tokens = tokens
        self.rows = {token: row for row, token in enumerate(tokens)}
        self.longest = max(len(t.removeprefix("##")) for t in tokens)
        self.seen = {}

    def word(self, raw):
        found = self.seen.get(raw)
        if found is None:
            found = self.seen[raw] = self._word(raw)
        return found

    def _word(self, raw):
        cut = parts(raw)
        if cut is None:
            return ()
        whole, pieces = cut
        if whole in self.rows:
            return (self.rows[whole],)
        rows = []
        for part in pieces:
            start = 0
            while start < len(part):
                for end in range(min(len(part), start + self.longest), start, -1):
                    row = self.rows.get(("##" if start else "") + part[start:end])
                    if row is not None:
                        rows.append(row)
                        start = end
                        break
                else:
                    break
        return tuple(rows)

    def __call__(self, text, limit=MAX_TOKENS):
        rows = []
        for match in WORD.finditer(text):
            rows += self.word(match[0])
            if len(rows) >= limit:
                return rows[:limit]
        return rows


def read(path):
    """A table's tokens, its values and its scales."""
    raw = Path(path).read_bytes()
    magic, dims, count, slots, _longest, _flags = struct.unpack("<8sIIIII", raw[:28])
    assert magic in (b"HARKEMB1", b"HARKEMB2")
    at = 64 + slots * 4
    starts = np.frombuffer(raw, "<u4", count + 1, at)
    at += (count + 1) * 4
    strings = raw[at : at + int(starts[-1])].decode()
    tokens = [strings[a:b] for a, b in zip(starts, starts[1:])]
    at += int(starts[-1])
    at += -at % 64
    if magic == b"HARKEMB1":
        records = np.frombuffer(raw, [("scale", "<f4"), ("values", "i1", dims)], count, at)
        return tokens, records["values"], records["scale"]
    records = np.frombuffer(raw, [("scale", "<f4"), ("pairs", "u1", dims // 2)], count, at)
    pairs = records["pairs"].astype(np.int8)
    return tokens, np.hstack([2 * (pairs & 15) - 15, 2 * (pairs >> 4 & 15) - 15]), records["scale"]
