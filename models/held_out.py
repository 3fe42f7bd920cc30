#!/usr/bin/env python3
"""Names what training must leave out because the development sets hold it: `held_out.txt`.

    python3 held_out.py FOLDER_OF_SETS PAIRS

PAIRS is the `pairs.pickle` that `train.py` keeps. Left out are functions of cosqa by name and first sentence, and
pairs with the first sentence or code of one of them, or ten words in a row of any document of cosqa or codemem_entire.
"""
import json
import pickle
import re
import sys
import textwrap
from pathlib import Path

from corpus import digest, first_sentence, identity, python_functions

ROW = 10


def words(text):
    return re.findall(r"\w+", text.lower())


def rows_of(text):
    found = words(text)
    return (tuple(found[i : i + ROW]) for i in range(len(found) - ROW + 1))


def texts(folder):
    with open(folder / "docs.jsonl") as file:
        for line in file:
            doc = json.loads(line)
            yield from [doc["text"]] if "text" in doc else [turn["content"] for turn in doc["turns"]]


root, kinds = Path(sys.argv[1]), pickle.loads(Path(sys.argv[2]).read_bytes())
functions, said, codes, rows = set(), set(), set(), set()
for text in texts(root / "cosqa"):
    found = list(python_functions(textwrap.dedent(text)))
    for name, doc, code in found:
        codes.add(" ".join(words(code)))
    if not found:  # Python 2, or only a signature and its comment
        found = [(*pair, "") for pair in re.findall(r"def (\w+).*?(?:\"\"\"|''')(.*?)(?:\"\"\"|''')", text, re.S)]
    for name, doc, _ in found:
        if summary := first_sentence(doc):
            functions.add(identity(name, summary))
            if len(summary.split()) >= 4:
                said.add(" ".join(words(summary)))
for name in ("cosqa", "codemem_entire"):
    for text in texts(root / name):
        rows.update(rows_of(text))


def is_held(item):
    if len(item) == 4 and (" ".join(words(item[0])) in said or " ".join(words(item[3])) in codes):
        return True
    return any(row in rows for text in item for row in rows_of(text))


pairs = {digest(item) for kind in kinds if kind not in ("gloss", "example", "synonyms") for item in kinds[kind] if is_held(item)}
print("\n".join([*sorted(functions), *sorted(pairs)]))
