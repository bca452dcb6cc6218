"""The command-line tools of a Mac: the options that each takes, and stand-ins that refuse what it refuses.

    with tree() as path: …    a PATH of stand-ins, where GNU's options and tools fail as they do there
"""

import contextlib
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

# Each tool's short options as getopt has them: a colon follows one with a value. Those that the oldest macOS we name
# (13) lacks are left out.
OPTIONS = {
    "base64": "b:Ddi:o:h",
    "basename": "as:",
    "cat": "belnstuv",
    "chmod": "fhvHLPREaCINin",
    "chown": "fhnvHLPRx",
    "cmp": "lsxz",
    "comm": "123i",
    "cp": "HLPRacfilnprsvXx",
    "cut": "b:c:d:f:nsw",
    "date": "jnRuIf:r:v:z:",
    "df": "abgHhIiklmnPtT:Y",
    "diff": "abBcC:dD:efhHiI:lL:nNpPqrsS:tTuU:vwW:x:X:y",
    "dirname": "",
    "du": "AaB:cd:gHhI:kLlmnPrst:x",
    "env": "0ivP:S:u:",
    "find": "HLPEXdsxf:",
    "grep": "A:B:C:D:EFGHILOSUVXabcd:e:f:hilm:nopqrRsuvwxyz",
    "gzip": "123456789cdfhklLnNqrS:tvV",
    "head": "c:n:",
    "hostname": "fsd",
    "id": "AFGMPagnpru",
    "install": "B:bCcdf:g:Mm:o:pSsv",
    "join": "a:e:j:o:t:v:1:2:i",
    "ln": "FLPfhinsvw",
    "ls": "@1ABCFGHILOPRSTUWabcdefghiklmnopqrstuvwxy%,D:",
    "mkdir": "m:pv",
    "mktemp": "dqt:u",
    "mv": "fhinv",
    "nl": "b:d:f:h:i:l:n:ps:v:w:",
    "od": "A:BDHILOXN:abcdefhij:lost:vx",
    "paste": "d:s",
    "ps": "AaCcdEefG:ghjL:lMmO:o:p:rSTt:U:u:vwXx",
    "pwd": "LP",
    "readlink": "n",
    "realpath": "q",
    "rm": "dfiIPRrvWx",
    "rmdir": "pv",
    "sed": "EI:ae:f:i:lnrsu",
    "seq": "f:s:t:w",
    "sleep": "",
    "sort": "bCcdfghik:Mmno:RrS:sT:t:uVz",
    "split": "a:b:dl:n:p:",
    "stat": "FLf:lnqrst:x",
    "strip": "ADNSTXacd:ino:R:rs:uvx",
    "tail": "Fb:c:fn:qrv",
    "tee": "ai",
    "touch": "A:acd:fhmr:t:",
    "tr": "Ccdsu",
    "uname": "amnoprsv",
    "uniq": "cDdf:is:u",
    "wc": "Lclmw",
    "xargs": "0E:I:J:L:n:oP:pR:S:s:tx",
    "zcat": "f",
}
# Long options that are understood there as well; of `tar`, those that bsdtar has.
LONG = {
    name: set(words.split())
    for name, words in {
        "base64": "break decode input output",
        "diff": "brief exclude label recursive text unified",
        "grep": """after-context before-context binary-files color colour context count exclude exclude-dir
            extended-regexp file files-with-matches files-without-match fixed-strings ignore-case include invert-match
            line-buffered line-number line-regexp max-count no-filename no-messages null only-matching quiet recursive
            regexp silent text with-filename word-regexp""",
        "gzip": "best decompress fast force keep name no-name quiet recursive stdout suffix test",
        "tar": """create directory exclude extract file files-from format gname gzip include list no-same-owner
            no-same-permissions null numeric-owner strip-components to-stdout uname verbose""",
    }.items()
}
# What `find` knows, with its operators.
PRIMARIES = set(
    """a amin and anewer atime cmin cnewer ctime d delete depth empty exec execdir false flags follow fstype gid group
    ilname iname inum ipath iregex iwholename links lname ls maxdepth mindepth mmin mnewer mount mtime name newer newermt
    nogroup not nouser o ok okdir or path perm print print0 prune regex samefile size true type uid user wholename xattr
    xdev""".split()
)
# GNU's and Linux' tools that one takes for granted; not package managers, nor what administers a Linux server.
MISSING = set(
    """b2sum chcon chrt dircolors fallocate flock free fuser gawk getent hostid ionice ldd lscpu md5sum namei nproc numfmt
    pidof prlimit ptx readelf setsid sha1sum sha224sum sha256sum sha384sum sha512sum shred shuf ss stdbuf tac taskset
    timeout tree truncate unshare vdir watch wget xdg-open""".split()
)
# What a Mac has, and the tree passes on as it is.
PLAIN = "bash sh zsh make git true false printf echo test [ expr kill which getconf openssl curl".split()
STAND_IN = """#!{}
import sys
sys.path.insert(0, {!r})
import mac_tools
sys.exit(mac_tools.stand_in({!r}, sys.argv[1:]))
"""
# What BSD's sed reads otherwise, whatever its options.
SED = [
    (re.compile(r"\\t"), "GNU's \\t means t"),
    (re.compile(r"^s(.).*\1.*\\n.*\1"), "\\n means n in what is put in"),
    (re.compile(r"\{[^{}]*[^;{}\s\\\d,]\s*\}"), "extra characters at the end of a command: a semicolon stands before }"),
    (re.compile(r"^(?:\d+|\$|/[^/]*/)?\s*[aic]\s*[^\\\s]"), "command expects \\ followed by text"),
]
BASIC_REGEX = re.compile(r"\\[+?|]|\\[ws<>]")


def short_options(spec, words):
    """(options, operands) by getopt's rules; an option is (letter, its value or None), and a letter that `spec` lacks
    ends them."""
    takes = {letter: spec[place + 1 : place + 2] == ":" for place, letter in enumerate(spec) if letter != ":"}
    options, words = [], list(words)
    while words and words[0].startswith("-") and words[0] != "-":
        word = words.pop(0)
        if word == "--":
            break
        letters = word[1:]
        while letters:
            letter, letters = letters[0], letters[1:]
            if letter not in takes:
                return [*options, (letter, None)], words
            if takes[letter]:
                options.append((letter, letters or (words.pop(0) if words else None)))
                break
            options.append((letter, None))
    return options, words


def refusal(name, words):
    """What a Mac's tool says against these arguments, or `None` if it takes them."""
    if name in MISSING:
        return f"{name}: command not found"
    if name == "tar":
        long = [word[2:].split("=")[0] for word in words if word.startswith("--") and word != "--"]
        return next((f"tar: Option --{word} is not supported" for word in long if word not in LONG["tar"]), None)
    if name == "awk":
        return _awk(words)
    if name not in OPTIONS:
        return None
    long = [
        word[2:].split("=")[0]
        for word in words[: words.index("--") if "--" in words else None]
        if word.startswith("--")
    ]
    for word in long:
        if word not in LONG.get(name, ()):
            return f"{name}: illegal option -- -"
    # A number as an option is old and known: `head -3`.
    rest = [word for word in words if not word.startswith("--") or word == "--"]
    if name in ("head", "tail") and rest and re.fullmatch(r"-\d+", rest[0]):
        rest = rest[1:]
    options, operands = short_options(OPTIONS[name], rest)
    for letter, _ in options:
        if letter not in OPTIONS[name] or letter == ":":
            return f"{name}: illegal option -- {letter}"
    # GNU's read options behind operands too; here they are files.
    if name not in ("find", "env", "xargs", "echo", "seq", "chmod", "install", "ps", "tail", "sleep"):
        late = next((word for word in operands if re.fullmatch(r"-[A-Za-z]\w*", word)), None)
        if late and "--" not in words:
            return f"{name}: {late}: No such file or directory"
    return _particular(name, dict(options), options, operands)


def _particular(name, values, options, operands):
    """What needs more than the names of options."""
    if name == "find":
        if not operands or operands[0].startswith(("-", "(", "!")) and "f" not in values:
            return "usage: find [-H | -L | -P] [-EXdsx] [-f path] path ... [expression]"
        for word in operands:
            if re.fullmatch(r"-[a-zA-Z]\w*", word) and word[1:] not in PRIMARIES:
                return f"find: {word}: unknown primary or operator"
    if name == "head":
        for letter in ("n", "c"):
            if (values.get(letter) or "").startswith("-"):
                return f"head: illegal line count -- {values[letter]}"
    if name == "sed":
        # `-i` without a suffix of its own takes the program for one.
        if "i" in values and (values["i"] is None or re.match(r"-|[sy]\W|\d*[dp]$|/", values["i"])):
            return f"sed: 1: \"{(operands or [''])[0]}\": invalid command code"
        programs = [value for letter, value in options if letter == "e"] or (operands[:1] if "f" not in values else [])
        for program in programs:
            if not {"E", "r"} & set(values) and BASIC_REGEX.search(program or ""):
                return f'sed: 1: "{program}": GNU\'s {BASIC_REGEX.search(program).group()} means itself'
            for pattern, told in SED:
                if pattern.search(program or ""):
                    return f'sed: 1: "{program}": {told}'
    if name == "grep" and not {"E", "F"} & set(values):
        pattern = values.get("e") or (operands[0] if operands else "")
        if found := BASIC_REGEX.search(pattern or ""):
            return f"grep: GNU's {found.group()} means itself in a basic expression"
    if name == "date" and "f" in values and "j" not in values:
        return "date: settimeofday (timeval): Operation not permitted"
    if name == "sleep" and operands and not re.fullmatch(r"[\d.]+|\$.*|…", operands[0]):
        return "usage: sleep seconds"
    return None


def _awk(words):
    """BWK awk has none of gawk's functions and options."""
    options, operands = short_options("F:v:f:", words)
    for letter, _ in options:
        if letter not in "Fvf":
            return f"awk: unknown option -{letter} ignored"
    program = "" if any(letter == "f" for letter, _ in options) else (operands or [""])[0]
    found = re.search(
        r"\b(gensub|asorti?|strftime|systime|mktime|strtonum|patsplit|and|or|xor|lshift|rshift|compl)\("
        r"|\\[y<>B]|\bBEGINFILE\b|"
        r"\b(?:IGNORECASE|RT|FPAT|FIELDWIDTHS|PROCINFO)\b",
        program,
    )
    return f"awk: calling undefined function {found.group()}" if found else None


def stand_in(name, words):
    """Behaves as a Mac's tool of that name: refuses what it refuses, and else becomes the tool of this machine."""
    told = refusal(name, words)
    if told:
        print(told, file=sys.stderr)
        return 1
    if name == "sed":
        # BSD's suffix is a word of its own.
        places = [place for place, word in enumerate(words[:-1]) if word == "-i"]
        for place in reversed(places):
            words[place : place + 2] = ["-i" + words[place + 1]]
    if name == "mktemp" and "-t" in words:
        words[words.index("-t") + 1] += ".XXXXXX"
    os.execv(_real(name), [name, *words])


def _real(name):
    """This machine's tool; the awk from which a Mac's descends, where it is."""
    places = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
    return (name == "awk" and shutil.which("original-awk", path=places)) or shutil.which(name, path=places)


@contextlib.contextmanager
def tree(programs=None):
    """A PATH with a Mac's tools only. `programs` are scripts, by name, that stand for more or replace some."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        programs = programs or {}
        links = {"python3": sys.executable, **{name: _real(name) for name in PLAIN if _real(name)}}
        for name in set(links) - set(programs):
            os.symlink(links[name], place / name)
        texts = {
            name: STAND_IN.format(sys.executable, str(Path(__file__).parent), name) for name in (*OPTIONS, "awk", "tar")
        }
        for name, text in {**texts, **programs}.items():
            (place / name).write_text(text, encoding="utf-8")
            (place / name).chmod(0o755)
        yield folder
