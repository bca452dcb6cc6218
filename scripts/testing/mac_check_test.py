"""`scripts/check-mac`: how it chooses and reads, and a whole run with stand-ins for Xcode."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import apple
import architecture
import mac_check
import mac_tools
from mac_check import Result, Step

ROOT = Path(__file__).resolve().parents[2]


def device(name, identifier, state="Shutdown", available=True):
    return {
        "name": name,
        "udid": identifier,
        "state": state,
        "isAvailable": available,
        "dataPath": "/Users/a/Library/…",
    }


def listing(**runtimes):
    devices = {
        f"com.apple.CoreSimulator.SimRuntime.{name.replace('_', '-')}": found for name, found in runtimes.items()
    }
    return json.dumps({"devicetypes": [], "runtimes": [], "devices": devices, "pairs": {}})


class SimulatorTest(unittest.TestCase):
    def test_it_is_an_iphone_with_the_newest_ios(self):
        text = listing(
            iOS_18_2=[device("iPhone 16", "A")],
            iOS_9_3=[device("iPhone 5s", "B")],
            iOS_26_1=[device("iPad Air", "C"), device("iPhone 17 Pro", "D"), device("iPhone 17", "E")],
            watchOS_26_1=[device("Apple Watch", "F")],
            tvOS_26_1=[device("Apple TV", "G")],
            xrOS_26_0=[device("Apple Vision Pro", "H")],
        )
        self.assertEqual(mac_check.simulator(text), ("D", "iPhone 17 Pro, iOS 26.1"))

    def test_one_that_runs_is_taken_before_another_of_its_version(self):
        text = listing(
            iOS_26_1=[device("iPhone 17", "A"), device("iPhone Air", "B", "Booted")],
            iOS_18_2=[device("iPhone 16", "C", "Booted")],
        )
        self.assertEqual(mac_check.simulator(text)[0], "B")

    def test_what_its_runtime_left_behind_is_none(self):
        text = listing(iOS_26_1=[device("iPhone 17", "A", available=False)], iOS_18_2=[device("iPhone 16", "B")])
        self.assertEqual(mac_check.simulator(text)[0], "B")
        self.assertIsNone(mac_check.simulator(listing(iOS_26_1=[device("iPad Air", "A")])))
        self.assertIsNone(mac_check.simulator(listing()))


class ResultTest(unittest.TestCase):
    BUILD = Step("Daybook for iOS", ["xcodebuild"], (r"^\*\* BUILD SUCCEEDED \*\*",))
    TEST = next(step for step in mac_check.steps(None) if step.name == "swift test")

    def of(self, step, status, output):
        return mac_check.result(step, status, output, 2)

    def test_a_step_passes_by_its_status_and_what_it_said(self):
        passed = self.of(self.BUILD, 0, "note: Using new build system\n\n** BUILD SUCCEEDED ** [3.1 sec]\n\n")
        self.assertEqual((passed.state, passed.note, passed.lines), ("passed", "", ["** BUILD SUCCEEDED ** [3.1 sec]"]))
        line = "✔ Test run with 1951 tests in 326 suites passed after 93.624 seconds.\n"
        self.assertEqual(self.of(self.TEST, 0, line).state, "passed")

    def test_a_status_alone_is_no_proof(self):
        self.assertEqual(self.of(self.BUILD, 0, "").state, "failed")
        self.assertIn("status 0, but printed nothing like", self.of(self.TEST, 0, "error: no tests found\n").note)
        self.assertEqual(self.of(self.BUILD, 65, "** BUILD SUCCEEDED **\n").note, "ended with status 65")

    def test_a_failure_keeps_its_errors_and_its_end(self):
        output = (
            "".join(f"Compile {number}\n" for number in range(50))
            + "/a.swift:3:5: error: cannot find 'x'\n"
            + "Compile\n" * 50
        )
        failed = self.of(self.BUILD, 65, output + "** BUILD FAILED **\n")
        self.assertEqual(failed.lines[0], "/a.swift:3:5: error: cannot find 'x'")
        self.assertEqual((failed.lines[-1], len(failed.lines)), ("** BUILD FAILED **", 1 + mac_check.LAST))

    def test_a_platform_that_xcode_lacks_is_skipped(self):
        output = (
            "xcodebuild: error: Unable to find a destination matching the provided destination specifier:\n"
            "\t\t{ platform:visionOS, id:dvtdevice-DVTiOSDevicePlaceholder-visionos:placeholder, name:Any visionOS Device, "
            "error:visionOS 26.1 is not installed. Please download and install the platform from Xcode > Settings > Components. }\n"
        )
        skipped = self.of(self.BUILD, 70, output)
        self.assertEqual(
            (skipped.state, skipped.note),
            ("skipped", "visionOS 26.1 is not installed: add it in Xcode's settings, Components"),
        )
        self.assertEqual(self.of(self.BUILD, 70, output.replace("is not installed", "is odd")).state, "failed")

    def test_what_took_too_long_says_so(self):
        self.assertEqual(self.of(self.TEST, 124, "").note, "over 90 minutes, ended")

    def test_the_table_counts_what_passed_failed_and_was_skipped(self):
        results = [
            Result("one", "passed", "", 3.4, []),
            Result("the other", "failed", "ended with status 1", 61, ["x"]),
            Result("last", "skipped", "why", 0, []),
        ]
        self.assertEqual(
            mac_check.table(results),
            "\n".join(
                [
                    "step      · result  · seconds",
                    "-----------------------------",
                    "one       · passed  ·       3",
                    "the other · failed  ·      61   ended with status 1",
                    "last      · skipped ·       0   why",
                    "",
                    "1 passed, 1 failed, 1 skipped",
                ]
            ),
        )


class StepsTest(unittest.TestCase):
    def test_each_scheme_is_a_product_and_the_project_has_its_scheme(self):
        products = re.findall(
            r"\.(?:library|executable)\(name: \"([^\"]+)\"", (ROOT / "Package.swift").read_text(encoding="utf-8")
        )
        for schemes in mac_check.SCHEMES.values():
            self.assertLessEqual(set(schemes), set(products))
        self.assertTrue((ROOT / mac_check.SAMPLE / "xcshareddata" / "xcschemes" / "RecipeBoxApp.xcscheme").exists())

    def test_each_platform_builds_what_is_compiled_for_it_elsewhere(self):
        self.assertEqual(set(mac_check.SCHEMES), {each.platform for each in apple.CONFIGURATIONS})
        self.assertEqual(set(mac_check.SCHEMES["watchOS"]), set(mac_check.APPS) - apple.NOT_ON_WATCHES)
        self.assertLessEqual(set(mac_check.APPS), architecture.LINKED_BY_APPS)

    def test_every_platform_system_and_command_has_a_step(self):
        names = [step.name for step in mac_check.steps(("A", "iPhone 17, iOS 26.1"))]
        self.assertEqual(len(names), len(set(names)))
        for name in (
            "DaybookApple for iOS",
            "daybook-cli for macOS",
            "Daybook for tvOS",
            "DaybookOTLP for watchOS",
            "Daybook for visionOS",
            "swift build (native)",
            "swift build (swiftbuild)",
            "swift test",
            "the sample app's tests (iPhone 17, iOS 26.1)",
            "make demo",
            "make install",
        ):
            self.assertIn(name, names)


XCODEBUILD = """#!/bin/sh
echo "xcodebuild $*" >> "$ASKED"
case "$*" in
-version) [ -z "$NO_XCODE" ] || exit 1; printf 'Xcode 26.1\\nBuild version 17B55\\n' ;;
test*) printf "Test Suite 'RecordsUITests' passed\\nTest Suite 'SearchUITests' passed\\n✔ Test run with 5 tests passed after 1 seconds.\\n** TEST SUCCEEDED **\\n" ;;
*DaybookApple*iOS*) printf 'a.swift:1:2: error: cannot find UIKit in scope\\n** BUILD FAILED **\\n'; exit 65 ;;
*visionOS*) echo 'error:visionOS 26.1 is not installed. Please download' >&2; exit 70 ;;
*) echo '** BUILD SUCCEEDED **' ;;
esac
"""
SWIFT = """#!/bin/sh
case "$1" in
--version) echo 'Apple Swift version 6.3' ;;
build) echo 'Build complete! (3.2s)' ;;
test) echo '✔ Test run with 40 tests in 6 suites passed after 0.624 seconds.' ;;
esac
"""
PROGRAMS = {
    "uname": '#!/bin/sh\n[ "$1" = -m ] && echo arm64 || echo Darwin\n',
    "sw_vers": "#!/bin/sh\necho 26.1\n",
    "xcodebuild": XCODEBUILD,
    "swift": SWIFT,
    "make": "#!/bin/sh\n[ \"$1\" != demo ] || echo 'accepted = stored: nothing was lost'\n",
    "git": "#!/bin/sh\necho 1234567\n",
    "brew": "#!/bin/sh\n",
    "xcrun": '#!/bin/sh\ncat "$LISTING"\n',
    "pkg-config": "#!/bin/sh\n",
}


@unittest.skipUnless(sys.platform == "linux", "a Mac has Xcode itself")
class CheckMacTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.copy, self.asked, self.simulators = (Path(folder.name) / name for name in ("daybook", "asked", "listing"))
        (self.copy / "scripts").mkdir(parents=True)
        shutil.copytree(ROOT / "scripts" / "testing", self.copy / "scripts" / "testing")
        for name in ("check-mac", "setup", "pkg-config-path"):
            shutil.copy(ROOT / "scripts" / name, self.copy / "scripts" / name)
        self.simulators.write_text(listing(iOS_26_1=[device("iPhone 17", "ABCD")]))

    def check(self, *words, programs=None, **variables):
        with mac_tools.tree({**PROGRAMS, **(programs or {})}) as path:
            environment = {
                "PATH": path,
                "ASKED": str(self.asked),
                "LISTING": str(self.simulators),
                "NO_XCODE": "",
                **variables,
            }
            done = subprocess.run(
                [self.copy / "scripts" / "check-mac", *words], env=environment, capture_output=True, text=True
            )
        return done.returncode, done.stdout, done.stderr

    def test_all_steps_run_whatever_fails_and_the_report_says_what_and_why(self):
        status, told, errors = self.check()
        self.assertEqual((status, errors), (1, ""), told)
        steps = mac_check.steps(("ABCD", "iPhone 17, iOS 26.1"))
        absent = len(mac_check.SCHEMES["visionOS"])
        self.assertIn(f"\n{len(steps) - 1 - absent} passed, 1 failed, {absent} skipped\n", told)
        report = (self.copy / ".build-mac" / "report.txt").read_text(encoding="utf-8")
        self.assertIn(
            "macOS 26.1, arm64\nXcode 26.1, Build version 17B55\nApple Swift version 6.3\nDaybook at 1234567\n", report
        )
        for step in steps:
            self.assertIn(f"{step.name} ", report)
        self.assertIn(
            "=== DaybookApple for iOS: failed\n$ xcodebuild -scheme DaybookApple -destination generic/platform=iOS",
            report,
        )
        self.assertIn("a.swift:1:2: error: cannot find UIKit in scope\n** BUILD FAILED **\n", report)
        self.assertIn("visionOS 26.1 is not installed", report)
        self.assertIn("id=ABCD", self.asked.read_text())
        log = self.copy / ".build-mac" / "logs" / "swift-test.log"
        self.assertIn("Test run with 40 tests", log.read_text(encoding="utf-8"))

    def test_words_choose_steps_and_without_failures_the_status_is_0(self):
        status, told, _ = self.check("tvOS", "demo")
        self.assertEqual(status, 0)
        self.assertIn(f"\n{len(mac_check.SCHEMES['tvOS']) + 1} passed, 0 failed, 0 skipped\n", told)
        status, _, errors = self.check("nothing")
        self.assertEqual((status, errors), (1, "check-mac: no step is called nothing\n"))

    def test_without_a_simulator_the_sample_is_skipped(self):
        self.simulators.write_text(listing())
        status, told, _ = self.check("sample")
        self.assertEqual(status, 0)
        self.assertIn("skipped Xcode has no iPhone simulator", told)

    def test_elsewhere_and_without_xcode_it_refuses_with_words(self):
        status, told, errors = self.check(programs={"uname": "#!/bin/sh\necho Linux\n"})
        self.assertEqual((status, told), (1, ""))
        self.assertIn("this is no Mac", errors)
        status, told, errors = self.check(NO_XCODE="1")
        self.assertEqual((status, told), (1, ""))
        self.assertIn("install Xcode 26 or later", errors)


if __name__ == "__main__":
    unittest.main()
