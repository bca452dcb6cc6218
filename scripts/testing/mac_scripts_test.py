"""The scripts run on a Mac, and the check that says so finds each kind of mistake."""

import subprocess
import sys
import unittest
from pathlib import Path
from string import ascii_letters

import mac_scripts
import mac_tools

ROOT = Path(__file__).resolve().parents[2]
VERMIN = ROOT / ".venv" / "bin" / "vermin"

# GNU's and bash 4's, each of which must be found.
SHELL = [
    "mapfile -t a < file", "readarray a < file", "coproc cat", "x=${y,,}", "x=${y^^}", "x=${y^}", "x=${a[0],}",
    "echo ${x@Q}", "declare -A map", "local -A map", "declare -gA map", "typeset -n other=x", "local -",
    "cmd &>> log", "cmd |& cat", "echo ${a[-1]}", "echo ${x:0:-1}", "[[ -v x ]]", "[ -v x ]", "test -v x",
    "wait -n", "read -N 3 x", "read -t 0.5 x", "printf '%(%F)T' -1", "shopt -s globstar", "shopt -s lastpipe",
    "echo {01..10}", "echo {1..9..2}", "exec {fd}> file", "echo $EPOCHSECONDS", "echo ${EPOCHREALTIME}",
    "case x in\nx) echo ;&\ny) echo ;;\nesac", "case x in\nx) echo ;;&\nesac",
    "set -euo pipefail\na=()\ncmd \"${a[@]}\"", "set -u\na=()\nfor x in ${a[*]}; do :; done",
    "set -u\nb=(\"${a[@]}\")", "sed -i s/a/b/ file", "sed -i -e s/a/b/ file", "sed -n 's/a\\+/b/p'",
    "sed 's/a\\|b/c/'", "sed 's/a\\?/c/'", "sed 's/ /\\t/'", "sed --quiet p", "sed 's/\\w/x/'", "sed -z p",
    "sed --in-place=.bak s/a/b/ f", "date -d yesterday", "date --iso-8601", "date --utc", "date -f x",
    "stat -c %s file", "stat --format=%s file", "stat --printf=%s file", "mktemp --suffix=.x", "mktemp --tmpdir",
    "mktemp -p dir", "readlink -f file", "readlink -e file", "readlink -m file", "install -D a b",
    "install -t dir a", "cp --reflink=auto a b", "cp --parents a b", "cp -t dir a", "cp -u a b", "cp a b -r",
    "mv -t dir a", "mv -T a b", "mv -u a b", "ln -r a b", "ln -T a b", "ln --symbolic a b", "grep -P x",
    "grep -oP x file", "grep 'a\\|b' file", "grep 'a\\+' file", "grep --perl-regexp x", "find -name x",
    "find . -printf %f", "find . -readable", "find . -regextype posix-extended -regex x", "find . -executable",
    "find", "xargs -r rm", "xargs --no-run-if-empty rm", "xargs -d x rm", "xargs -0 sed -i s/a/b/", "head -n -1",
    "head -c -1", "head --lines=1", "tail --lines=1", "tail --pid=1 -f x", "sort --parallel=2",
    "sort -z file --unique", "timeout 5 true", "nproc", "sha256sum x", "md5sum x", "tac x", "setsid x", "shuf x",
    "truncate -s 0 x", "ldd x", "flock x true", "stdbuf -oL x", "realpath -m x", "realpath --relative-to=a b",
    "cat -A x", "cat --number x", "ls --color=auto", "ls -v -Z", "ls -1 --sort=size", "du -b x", "du --max-depth=1",
    "df -T --output=size", "env --chdir=x y", "env -C x y", "touch --date=x y", "mkdir --parents x", "rm --force x",
    "rmdir --ignore-fail-on-non-empty x", "wc --lines x", "cut --fields=1", "cut -d: -f1 --complement", "uniq -w 3",
    "uniq -z", "tr --delete x", "tee --append x", "seq -f %g --separator=, 3", "sleep 5m", "basename -z x",
    "dirname -z x", "id --user", "uname --all", "uname -o -i", "chmod --reference=a b", "chown --reference=a b",
    "comm --check-order a b", "join -z a b", "diff --color a b", "base64 -w 0 x", "base64 --wrap=0",
    "od --address-radix=n x", "paste -z x", "nl --body-numbering=a x", "split --bytes=1 x", "strip --strip-all x",
    "gzip --rsyncable x", "ps --no-headers", "ps -o pid= --sort=pid", "pwd -W", "hostname -I", "cmp -n 3 a b",
    "zcat -q x", "awk '{ print gensub(/a/, \"b\", \"g\") }'", "awk '{ print strftime(\"%F\") }'", "awk '/\\yx/'",
    "awk --posix x", "awk 'BEGIN { IGNORECASE = 1 }'", "tar --transform s/a/b/ -cf x y", "tar --sort=name -cf x y",
    "tar --owner=0 -cf x y", "x=$(sed -i s/a/b/ f)", "echo \"$(date -d now)\"", "if ! sed -i s/a/b/ f; then :; fi",
    "true && nproc", "LC_ALL=C date -d x", "cat <<END | sed -i s/a/b/ f\ntext\nEND", "sudo install -D a b",
    "env X=1 timeout 5 true", "x=`nproc`", "echo \"`date -d now`\"", "trap 'sed -i s/a/b/ f' EXIT",
    "sh -c 'date -d now'", "eval 'nproc'", "find . -exec sed -i s/a/b/ {} \\;", "sed -n '/x/{p}' f",
    "sed 's/,/\\n/g' f", "sed '1i x' f", "sed '/y/a x' f", "source <(cmd)", ". <(cmd)",
    "x=$(case $y in a) echo ;; esac)", "sh -c 'echo -n x'",
    "set -u\na=()\nb=(\"${a[@]+\"${a[@]}\"}\")\ncmd \"${b[@]}\"", "set -u\ncmd \"${a[@]}\"",
]
# The same meant for both, and words that only look alike.
BOTH = [
    "sed -i '' s/a/b/ file", "sed -i.bak s/a/b/ file", "sed -E 's/a+|b/c/'", "sed -n '3,5p' x", "date -u +%FT%TZ",
    "date +%s", "mktemp -d", "mktemp -d -t x", "grep -E 'a|b' x", "grep -F 'a\\|b' x", "grep -qF -- \"$x\" file",
    "find . -name x -print0", "find x -type f -exec rm {} +", "xargs -0 rm", "head -n 1", "head -3 x", "tail -n 1",
    "tail -c 1 x", "tail -n +2", "cp -R a b", "cp -a a b", "install -d x", "install -s -m 755 a b", "stat -f %z x",
    "ln -sfn a b", "sort -V x", "awk '{ print $1 }'", "awk -F ':.*## ' '/^[a-z-]+:.*## / {printf \"%s\", $1}' x",
    "tar -xzf x --strip-components 1", "ps -A -o pid=,stat=", "echo timeout nproc", "# sed -i s/a/b/ x",
    "echo 'mapfile ${x,,} &>>'", "cat <<END\nsed -i s/a/b/ x\ndate -d x\nEND\ntrue",
    "set -u\na=(1)\ncmd \"${a[@]}\"", "set -u\na=()\ncmd ${a[@]+\"${a[@]}\"}",
    "set -u\na=()\n[ ${#a[@]} -eq 0 ] || cmd \"${a[@]}\"", "cmd >> log 2>&1", "case x in\nx) echo ;;\nesac",
    "test -z \"$x\" && y=${x:0:3}", "wait", "read -r x", "declare -a list", "rm -f -- \"$x\"",
    "case \"$1\" in date) echo -d ;; esac", "echo {1..9}", "x=${1:-test}", "kill -- -5", "sed -n '/x/{p;}' f",
    "sed -E 's/a{1,3}/b/' f", "sed 's/a/i x/' f", "x=$(case $y in (a) echo ;; esac)", "echo -n x",
    "set -u\na=(1)\nb=(\"${a[@]}\")\ncmd \"${b[@]}\"", "set -u\na=()\nb=(\"${a[@]+\"${a[@]}\"}\" 1)\ncmd \"${b[@]}\"",
]
MAKE = [
    ".ONESHELL:\n", ".SHELLFLAGS = -c\n", ".RECIPEPREFIX = >\n", "x != date\n", "x ::= y\n", "$(file > x,y)\n",
    "x := $(let a,b,$a)\n", "undefine x\n", "private x := 1\n", "define x =\nendef\n", "a b &: c\n\ttrue\n",
    "load x.so\n", "all:\n\t@sed -i s/a/b/ x\n", "all:\n\tfor x in a; do \\\n\t  nproc; done\n",
    "x := $(shell date -d now)\n", "all:\n\techo $${x,,}\n", "all:\n\t$(SWIFT) | xargs -r rm\n",
    "all:\n\t@echo -n x\n",
]
PYTHON = [
    "match x:\n    case 1: pass", "try: pass\nexcept* ValueError: pass", "type X = int", "os.sched_getaffinity(0)",
    "open('/proc/self/stat')", "Path('/dev/shm')", "multiprocessing.Process(target=lambda: 1)",
    "multiprocessing.Event()", "x.ru_maxrss", "select.epoll()", "signal.SIGRTMIN",
    "subprocess.run(['timeout', '5', 'x'])", "subprocess.run(('sed', '-i', 's/a/b/', name))",
    "run(['bash', '-c', 'mapfile -t x'])",
]
NEWER = [
    "import tomllib", "import itertools\nitertools.pairwise([])", "list(zip([], [], strict=True))",
    "def f(x: int | None): pass", "(3).bit_count()", "import datetime\ndatetime.UTC",
    "import contextlib\ncontextlib.chdir('x')", "import hashlib\nhashlib.file_digest(None, 'md5')",
]


class MacScriptsTest(unittest.TestCase):
    def test_every_script_runs_on_a_mac(self):
        self.assertEqual(mac_scripts.complaints(mac_scripts.files()), [])

    def test_all_that_are_scripts_are_read(self):
        names = mac_scripts.files()
        for name in (
            "Makefile",
            ".ci/run",
            "scripts/setup",
            "scripts/demo",
            "Integrations/CI/daybook-report",
            "Benchmarks/client-size",
            "docs/guides/operate.md",
            "Integrations/CI/action.yml",
            "Tests/DaybookCLITests/RecordingFormatTests.swift",
        ):
            self.assertIn(name, names)
        for name, typed in (("docs/guides/operate.md", "make install PREFIX=/usr/local"), ("README.md", "make demo")):
            self.assertIn(typed, mac_scripts.console((ROOT / name).read_text(encoding="utf-8")))
        self.assertIn(
            "swift build", mac_scripts.steps((ROOT / "Integrations/CI/action.yml").read_text(encoding="utf-8"))
        )
        self.assertIn(
            "daybook-report", mac_scripts.steps((ROOT / "Integrations/CI/bitrise.yml").read_text(encoding="utf-8"))
        )
        text = (ROOT / "Tests/DaybookCLITests/RecordingFormatTests.swift").read_text(encoding="utf-8")
        self.assertIn("gzip -k f.json", mac_scripts.launched(text))

    def test_each_exception_is_still_one(self):
        for file, part in mac_scripts.GUARDED:
            told = mac_scripts.complaints_of(file, (ROOT / file).read_text(encoding="utf-8"))
            self.assertTrue([one for one in told if part in one], (file, part))

    def test_mistakes_of_shells_and_tools_are_found(self):
        self.assertEqual([text for text in SHELL if not mac_scripts.shell_complaints(text)], [])

    def test_each_option_that_a_mac_lacks_is_found(self):
        for name, known in mac_tools.OPTIONS.items():
            missed = [
                letter
                for letter in ascii_letters
                if letter not in known and not mac_scripts.shell_complaints(f"{name} -{letter} x")
            ]
            self.assertEqual(missed, [], name)
            self.assertTrue(mac_scripts.shell_complaints(f"{name} --option-of-gnu x"), name)
        self.assertEqual([name for name in mac_tools.MISSING if not mac_scripts.shell_complaints(f"{name} x")], [])

    def test_a_mistake_in_the_last_line_of_each_script_is_found(self):
        found = 0
        for name in mac_scripts.files():
            if "." in Path(name).name[1:]:
                continue
            text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
            if name == "Makefile" or "sh\n" in text[:30]:
                last = "\tsed -i s/a/b/ file\n" if name == "Makefile" else "sed -i s/a/b/ file\n"
                self.assertIn("sed", "".join(mac_scripts.complaints_of(name, text + last)), name)
                found += 1
        self.assertGreaterEqual(found, 6)

    def test_what_both_take_is_not_complained_about(self):
        self.assertEqual({text: told for text in BOTH if (told := mac_scripts.shell_complaints(text))}, {})

    def test_mistakes_of_makefiles_are_found(self):
        self.assertEqual([text for text in MAKE if not mac_scripts.complaints_of("Makefile", text)], [])

    def test_mistakes_of_python_are_found(self):
        self.assertEqual([text for text in PYTHON if not mac_scripts.complaints_of("x.py", text)], [])

    def test_mistakes_are_found_wherever_shell_code_is(self):
        for name, text in (
            ("x.sh", "nproc\n"),
            ("scripts/x", "#!/usr/bin/env bash\nnproc\n"),
            ("x.md", "```console\n$ make \\\n    `true`; nproc\n```\n"),
            ("y.md", "```sh\nnproc\n```\n"),
            ("Integrations/CI/x.yml", "    - run: |\n        nproc\n"),
            ("x.swift", 'run("sh", "-c", "nproc")'),
            ("y.swift", 'run("sh", "-c", """\n  nproc\n  """)'),
        ):
            self.assertTrue(mac_scripts.complaints_of(name, text), name)


@unittest.skipUnless(VERMIN.exists(), "vermin is not installed; scripts/setup installs it")
class PythonVersionTest(unittest.TestCase):
    """Names of the library that came after Python 3.9, Xcode's, are vermin's to know."""

    def vermin(self, *names, text=None):
        words = [str(VERMIN), "-t=3.9-", "--no-tips", "--eval-annotations", "--violations", *names]
        return subprocess.run(words, cwd=ROOT, input=text, capture_output=True, text=True)

    def test_every_python_file_runs_with_3_9(self):
        names = mac_scripts.python_files()
        self.assertIn("scripts/test", names)
        done = self.vermin(*names)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_newer_names_are_found(self):
        for text in NEWER:
            self.assertEqual(self.vermin("-", text=text).returncode, 1, text)


@unittest.skipUnless(sys.platform == "linux", "a Mac has the tools themselves")
class TreeTest(unittest.TestCase):
    """The stand-ins, by which whole scripts run as on a Mac."""

    def run_in(self, path, script):
        return subprocess.run(["/bin/bash", "-c", script], env={"PATH": path}, capture_output=True, text=True)

    def test_what_a_mac_refuses_fails(self):
        with mac_tools.tree() as path:
            for script in (
                "sed -i s/a/b/ x",
                "date -d now",
                "stat -c %s x",
                "grep -P x /dev/null",
                "find -name x",
                "xargs -r true </dev/null",
                "head -n -1 /dev/null",
                "readlink -f x",
                "base64 -w 0 </dev/null",
                "cat -A /dev/null",
                "tar --sort=name -cf x y",
                "awk 'BEGIN { print strftime() }'",
                "nproc",
                "timeout 5 true",
                "sha256sum /dev/null",
                "tac /dev/null",
                "dpkg --version",
            ):
                done = self.run_in(path, script)
                self.assertNotEqual(done.returncode, 0, script)
                self.assertNotEqual(done.stderr, "", script)

    def test_what_a_mac_takes_is_done(self):
        with mac_tools.tree() as path:
            for script, output in (
                ("cd \"$(mktemp -d -t x)\" && echo a > f && sed -i '' s/a/b/ f && cat f && ls", "b\nf\n"),
                ("printf 'a b\\n' | awk '{ print $2 }'", "b\n"),
                ("printf '1\\n2\\n' | tail -n 1", "2\n"),
                ("echo x | grep -c x", "1\n"),
                ("python3 -c 'print(3)'", "3\n"),
                ("env X=1 sh -c 'echo $X'", "1\n"),
            ):
                done = self.run_in(path, script)
                self.assertEqual((done.returncode, done.stdout), (0, output), done.stderr)


if __name__ == "__main__":
    unittest.main()
