"""Finds in the repository's scripts what a Mac's bash 3.2, make 3.81, Python 3.9 and BSD tools do not take.

mac_scripts.py [FILE...]    complains of these files, or of all
"""

import ast
import os
import re
import sys
from pathlib import Path

import mac_tools

ROOT = Path(__file__).resolve().parents[2]
# What asks first whether it is on Linux, or has what it wants: the file, a part of the complaint, and how it asks.
GUARDED = {
    ("scripts/test", "/dev/shm"): "writable, or not used",
    ("Tests/BrowserTests/measure_live.py", "/proc"): "no such file, no figure",
    ("Tests/InteropTests/deployment_test.py", "readelf"): "skipped but on Debian 12",
    ("Tests/InteropTests/deployment_test.py", "unshare"): "skipped but on Linux, as root",
    ("scripts/testing/mac_scripts.py", ""): "what is looked for",
    ("scripts/testing/mac_scripts_test.py", ""): "what must be found",
}
# Folders that are made.
OTHERS = re.compile(r"\.build|\.git|\.venv|\.swiftpm|__pycache__")
# Words before a command.
PREFIXES = set("! then do else elif if while until time { sudo exec command nice as_root".split())
OPERATORS = re.compile(r";;&|;&|;;|&&|\|\||\|&|&>>|&>|>>|>&|<&|<<<|[;&|()<>\n]")
BASH = [
    (re.compile(pattern), words)
    for pattern, words in (
        (r"\$\{\w+(?:\[[^]]*\])?(?:,,?|\^\^?)", "changes case, which is bash 4's: use tr"),
        (r"\$\{\w+(?:\[[^]]*\])?@[A-Za-z]\}", "${…@…} is bash 4.4's"),
        (r"\$\{\w+:[^}]*: *-\d", "a negative length is bash 4.2's"),
        (r"\$\{?\w+\[-\d", "a negative index is bash 4.2's"),
        (r"&>>", "&>> is bash 4's: use >> FILE 2>&1"),
        (r"\|&", "|& is bash 4's: use 2>&1 |"),
        (r"(?m);;?&(?=\s*$)", ";& and ;;& are bash 4's"),
        (r"\[\[ (?:! )?-[vR] |\btest -[vR] |\[ -[vR] ", "-v and -R are bash 4.2's: use ${x+set}"),
        (r"\$\{?(?:EPOCHSECONDS|EPOCHREALTIME|SRANDOM|BASHPID|BASH_ARGV0)\b", "is a variable of later bash"),
        (r"\{(?:0\d+\.\.\d+|\d+\.\.0\d+|\w+\.\.\w+\.\.\d+)\}", "padded or stepped ranges are bash 4's"),
        (r"\bexec \{\w+\}", "{name}> is bash 4.1's"),
        (r"(?:^|\s)(?:source|\.) <\(", "reads nothing in bash 3.2: use eval"),
        (r"\$\([^()]*\bcase\b[^()]*\bin\b\s*[^\s(]", "ends at the first pattern in bash 3.2: write (pattern)"),
    )
]
COMMANDS = [
    (re.compile(pattern), words)
    for pattern, words in (
        (r"(?:mapfile|readarray|coproc)\b", "is bash 4's: read the lines in a loop"),
        (r"(?:declare|local|typeset|readonly) (?:-\w+ )*-\w*[Agnul]", "-A, -g, -n, -u and -l are bash 4's"),
        (r"local -(?:\s|$)", "`local -` is bash 4.4's"),
        (r"wait (?:-\w+ )*-[nfp]", "wait -n is bash 4.3's"),
        (r"read (?:-\w+ )*(?:-\w*[Ni]\b|-t ?0?\.\d)", "read -N, -i and parts of a second are bash 4's"),
        (r"printf .*%\(", "%(…)T is bash 4.2's: use date"),
        (
            r"shopt .*\b(?:globstar|lastpipe|inherit_errexit|autocd|dirspell|checkjobs|direxpand|localvar_\w+)\b",
            "is an option of later bash",
        ),
    )
]
MAKE = [
    (re.compile(pattern, re.MULTILINE), words)
    for pattern, words in (
        (r"^\.(?:ONESHELL|SHELLFLAGS|RECIPEPREFIX|EXTRA_PREREQS|NOTINTERMEDIATE|WAIT)\b", "is make 3.82's or later"),
        (r"^[\w.-]+ *!= ", "!= is make 4's: use $(shell …)"),
        (r"^[\w.-]+ *:{2,3}= ", "::= is make 4's: use :="),
        (r"\$\((?:file|guile|let|intcmp) ", "is a function of make 4"),
        (r"^(?:undefine|private) |^[^#\n]*: private ", "is make 3.82's"),
        (r"^define +\S+ *[:+?]?=", "define with = is make 3.82's"),
        (r"^[^\t#\n][^=\n]*&: ", "&: is make 4.3's"),
        (r"\.SHELLSTATUS\b|\.LOADED\b|\$\(MAKE_TERMOUT\)", "is a variable of make 4"),
        (r"^(?:load|-load) ", "load is make 4's"),
    )
]
# What only Linux has, in Python.
PYTHON = [
    (re.compile(pattern), words)
    for pattern, words in (
        (r"""["']/(?:dev/shm|proc|sys)\b""", "is Linux': ask whether it is there"),
        (r"\bos\.(?:sched_|memfd_|pidfd_|posix_f|fallocate|splice|eventfd|unshare|setns)\w*\b", "is Linux'"),
        (r"\bselect\.epoll\b|\bSO_PEERCRED\b|\bsignal\.SIG(?:RT\w+|PWR|STKFLT)\b", "is Linux'"),
        (
            r"\bmultiprocessing\.(?:Process|Pool|Queue|Event|Lock|Pipe)\(",
            "starts anew on a Mac, without closures: use lane.FORKED",
        ),
        (r"\bru_maxrss\b", "is KiB on Linux and bytes on a Mac"),
        (r"\bplatform\.(?:linux_distribution|freedesktop_os_release)\b", "is Linux'"),
    )
]


def words_of(text):
    """The commands of shell code as lists of words without their quotes, those in `$(…)` too. What the shell would put
    in a word's place is an ellipsis."""
    commands, words, word, place = [], [], None, 0
    heredocs = []

    def end_word():
        nonlocal word
        if word is not None:
            words.append(word)
        word = None

    def end_command():
        nonlocal words
        end_word()
        if words:
            commands.append(words)
        words = []

    def expansion(start):
        """The place behind a `$…`, or what is in backticks, at `start`."""
        if text.startswith("$(", start):
            end = _closing(text, start + 1)
            if not text.startswith("$((", start):
                commands.extend(words_of(text[start + 2 : end - 1]))
            return end
        if text.startswith("${", start):
            return _closing(text, start + 1, "{}")
        if text[start] == "`":
            end = text.find("`", start + 1) % (len(text) + 1)
            commands.extend(words_of(text[start + 1 : end]))
            return end + 1
        match = re.compile(r"\$(?:\w+|[@*#?$!-])").match(text, start)
        return match.end() if match else start + 1

    while place < len(text):
        letter = text[place]
        if letter == "\\":
            if text[place + 1 : place + 2] != "\n":
                word = (word or "") + text[place + 1 : place + 2]
            place += 2
        elif letter == "'":
            end = text.find("'", place + 1)
            end = len(text) if end < 0 else end
            word, place = (word or "") + text[place + 1 : end], end + 1
        elif letter == '"':
            word, place = word or "", place + 1
            while place < len(text) and text[place] != '"':
                if text[place] == "\\" and text[place + 1 : place + 2] in ('"', "$", "`", "\\", "\n"):
                    word, place = word + text[place + 1], place + 2
                elif text[place] in "$`" and (end := expansion(place)) > place + 1:
                    word, place = word + "…", end
                else:
                    word, place = word + text[place], place + 1
            place += 1
        elif letter in "$`":
            end = expansion(place)
            word, place = (word or "") + ("…" if end > place + 1 else "$"), end
        elif letter == "#" and word is None:
            end = text.find("\n", place)
            place = len(text) if end < 0 else end
        elif letter in " \t":
            end_word()
            place += 1
        elif match := re.compile(r"\d*<<-?\s*(['\"\\]?)(\w+)['\"]?").match(text, place) if word is None else None:
            heredocs.append(match.group(2))
            place = match.end()
        elif match := OPERATORS.match(text, place):
            operator, place = match.group(), match.end()
            if operator in (">", ">>", "<", "<<<", "&>", "&>>", ">&", "<&"):
                if word is not None and word.isdigit():
                    word = None
                end_word()
                # Where it goes is no word of the command.
                place = (
                    re.compile(r"\s*(?:\"(?:\\.|[^\"])*\"|'[^']*'|\$\([^)]*\)|[^\s;&|()<>])*").match(text, place).end()
                )
            else:
                end_command()
                if operator == "\n":
                    for name in heredocs:
                        found = re.compile(rf"^\t*{name}$", re.MULTILINE).search(text, place)
                        place = found.end() if found else len(text)
                    heredocs.clear()
        else:
            word, place = (word or "") + letter, place + 1
    end_command()
    return commands


def _closing(text, start, pair="()"):
    """The place behind the bracket that closes the one at `start`."""
    depth, place = 0, start
    while place < len(text):
        if text[place] == "\\":
            place += 1
        elif text[place] == "'" and pair == "()":
            place = text.find("'", place + 1) if "'" in text[place + 1 :] else len(text)
        elif text[place] == pair[0]:
            depth += 1
        elif text[place] == pair[1]:
            depth -= 1
            if depth == 0:
                return place + 1
        place += 1
    return len(text)


def bare(words):
    """A command without what stands before its name."""
    words = list(words)
    while words and (words[0] in PREFIXES or re.match(r"\w+=", words[0])):
        words.pop(0)
    if words[:1] == ["env"]:
        rest = [word for word in words[1:] if not re.match(r"\w+=", word)]
        return rest if rest and not rest[0].startswith("-") else words
    return words


def shell_complaints(text, is_sh=False):
    """What a Mac's shell and tools do not take, in words; its `sh` prints the options of `echo`."""
    code = "\n".join(re.sub(r"(^|\s)#.*", r"\1", line) for line in text.splitlines())
    # Text in single quotes is no code of this shell's.
    plain = re.sub(r"'[^'\n]*'", "''", code)
    found = [f"{match.group().strip()} {words}" for pattern, words in BASH for match in pattern.finditer(plain)]
    for command in words_of(text):
        words = bare(command)
        line = " ".join(words)
        found += [f"{line}: {told}" for pattern, told in COMMANDS if pattern.match(line)]
        if words and (told := mac_tools.refusal(words[0], words[1:])):
            found.append(f"{line}: {told}")
        if is_sh and words[:1] == ["echo"] and re.fullmatch("-[neE]+", (words[1:] or [""])[0]):
            found.append(f"{line}: sh prints {words[1]}: use printf")
        for inner in inner_commands(words):
            if inner and (told := mac_tools.refusal(inner[0], inner[1:])):
                found.append(f"{line}: {told}")
        if words[:1] in (["trap"], ["eval"]) or words[:1] in (["sh"], ["bash"]) and words[1:2] == ["-c"]:
            inner = next((word for word in words[1:] if not word.startswith("-")), "")
            found += shell_complaints(inner, is_sh or words[0] == "sh")
    return found + empty_arrays(code)


def inner_commands(words):
    """What `xargs` and `find` run."""
    if words[:1] == ["xargs"]:
        yield mac_tools.short_options(mac_tools.OPTIONS["xargs"], words[1:])[1]
    for place, word in enumerate(words if words[:1] == ["find"] else []):
        if word in ("-exec", "-execdir", "-ok"):
            end = next((end for end in range(place, len(words)) if words[end] in (";", "+")), len(words))
            yield words[place + 1 : end]


def empty_arrays(code):
    """Arrays that may be empty where they are expanded: with `set -u` an error until bash 4.4."""
    if not re.search(r"^\s*set -\w*u", code, re.MULTILINE):
        return []

    def is_full(name, above=()):
        """Whether each list that it is set to has a word of its own, or is another that has."""
        sets = re.findall(rf"(?<![\w+]){name}=\(([^)]*)\)", code)
        words = [[re.match(r"\"?\$\{(\w+)\[[@*]\]", word) for word in text.split()] for text in sets]
        above = (*above, name)
        return bool(sets) and all(
            any(not one or one[1] not in above and is_full(one[1], above) for one in line) for line in words
        )

    found = []
    for match in re.finditer(r"(\+\"?)?\$\{(\w+)\[[@*]\]\}", code):
        name = match.group(2)
        is_asked = re.search(rf"\$\{{#{name}\[[@*]\]\}}", code[: match.start()])
        if not match.group(1) and not is_full(name) and not is_asked:
            found.append(f'${{{name}[@]}} is an error while {name} is empty: write ${{{name}[@]+"${{{name}[@]}}"}}')
    return found


def make_complaints(text):
    """The same of a makefile, and of its recipes."""
    found = [f"{match.group().strip()} {words}" for pattern, words in MAKE for match in pattern.finditer(text)]
    joined = re.sub(r"\\\n", " ", text)
    recipes = "\n".join(re.sub(r"^[@+-]+", "", line[1:]) for line in joined.splitlines() if line.startswith("\t"))
    recipes += "".join(f"\n{text}" for text in re.findall(r"\$\(shell ([^()]*)\)", joined))
    # What make puts in: a word.
    while (shorter := re.sub(r"(?<!\$)\$(?:\([^()]*\)|[@<^*?%])", "…", recipes)) != recipes:
        recipes = shorter
    return found + shell_complaints(recipes.replace("$$", "$"), is_sh=True)


def python_complaints(text):
    """What Python 3.9 on a Mac does not take. (Newer names of the library are vermin's to find.)"""
    try:
        tree = ast.parse(text, feature_version=(3, 9))
    except SyntaxError as error:
        return [f"line {error.lineno}: {error.msg}"]
    lines = text.splitlines()
    found = []
    expressions = [node for node in ast.walk(tree) if isinstance(node, ast.Expr)]
    strings = {node.lineno for node in expressions if isinstance(node.value, ast.Constant)}
    for number, line in enumerate(lines, 1):
        if number not in strings:
            code = re.sub(r"(^|\s)#.*", "", line)
            found += [
                f"line {number}: {match.group()} {words}"
                for pattern, words in PYTHON
                for match in pattern.finditer(code)
            ]
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for argument in node.args:
                if isinstance(argument, (ast.List, ast.Tuple)) and argument.elts:
                    words = [
                        part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "…"
                        for part in argument.elts
                    ]
                    if told := mac_tools.refusal(words[0], words[1:]):
                        found.append(f"line {node.lineno}: {told}")
                    if words[:1] in (["sh"], ["bash"]) and "-c" in words[:-1]:
                        script = words[words.index("-c") + 1]
                        found += [f"line {node.lineno}: {told}" for told in shell_complaints(script, words[0] == "sh")]
    return found


def console(text):
    """What a reader types: the commands of a document's blocks."""
    commands = []
    for block in re.findall(r"^```(?:console|sh|bash|shell)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        if "$ " not in block:
            commands.append(block)
        is_typed = False
        for line in block.splitlines():
            if line.startswith("$ "):
                commands.append(line[2:])
                is_typed = True
            elif is_typed and line.startswith((" ", "\t")):
                commands[-1] += "\n" + line
            else:
                is_typed = False
    return "\n".join(commands)


def steps(text):
    """The shell code of a CI file's steps."""
    blocks = re.findall(r"^( *)(?:- )?(?:run|content|- content): \|\n((?:\1 +.*\n|\n)+)", text, re.MULTILINE)
    return "\n".join(block for _, block in blocks)


def launched(text):
    """What Swift code has a shell run."""
    found = re.findall(r'"-c",\s*(?:"""\n(.*?)"""|#?"((?:\\.|[^"\\\n])*)")', text, re.DOTALL)
    scripts = (
        re.sub(r"\\\([^()]*\)", "…", many or one.replace('\\"', '"').replace("\\\\", "\\")) for many, one in found
    )
    return "\n".join(re.sub(r"\\\n", " ", script) for script in scripts)


def complaints_of(name, text):
    """The complaints of a file, by its name and what it is."""
    if name == "Makefile" or name.endswith(".mk"):
        return make_complaints(text)
    if name.endswith(".md"):
        return shell_complaints(console(text))
    if name.startswith("Integrations/CI/") and name.endswith(".yml"):
        return shell_complaints(steps(text))
    if name.endswith(".swift"):
        return shell_complaints(launched(text), is_sh=True)
    first = text.split("\n", 1)[0]
    if name.endswith(".py") or re.match(r"#!.*\bpython", first):
        return python_complaints(text)
    if name.endswith(".sh") or re.match(r"#!.*\b(?:ba|z)?sh\b", first):
        return shell_complaints(text, is_sh=re.match(r"#!\s*\S*/sh\b", first) is not None)
    return []


def files(root=ROOT):
    """The names of all files but those that builds and tests make."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not OTHERS.match(name))
        found += [str((Path(folder) / name).relative_to(root)) for name in sorted(names) if name != ".git"]
    return found


def python_files(root=ROOT):
    return [name for name in files(root) if name.endswith(".py") or _first_line(root / name).endswith("python3")]


def _first_line(file):
    with file.open("rb") as stream:
        return stream.readline(100).decode(errors="replace").rstrip()


def complaints(names, root=ROOT):
    """A line for each complaint of these files."""
    found = []
    for name in names:
        if Path(name).suffix in ("", ".py", ".sh", ".md", ".yml", ".swift", ".mk"):
            text = (root / name).read_text(encoding="utf-8", errors="replace")
            found += [
                f"{name}: {told}"
                for told in complaints_of(name, text)
                if not any(name == file and part in told for file, part in GUARDED)
            ]
    return found


if __name__ == "__main__":
    told = complaints(sys.argv[1:] or files())
    print("\n".join(told))
    sys.exit(1 if told else 0)
