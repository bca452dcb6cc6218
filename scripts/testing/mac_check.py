"""The steps of `scripts/check-mac`, and how their results are read."""

import json
import re
import shlex
from dataclasses import dataclass

FOLDER = ".build-mac"
# What is built for each platform: what apps and their tests link, and on a Mac the command too.
APPS = ["Daybook", "DaybookOTLP", "DaybookApple", "DaybookInspector", "DaybookTesting"]
SCHEMES = {
    "iOS": APPS,
    "macOS": [*APPS, "DaybookProcesses", "daybook-cli"],
    "tvOS": APPS,
    # The inspector has no view there.
    "watchOS": [scheme for scheme in APPS if scheme != "DaybookInspector"],
    "visionOS": APPS,
}
SAMPLE = "Examples/RecipeBoxApp/RecipeBoxApp.xcodeproj"
# How many lines of a step's output a report keeps, of errors and from the end.
ERRORS, LAST = 10, 12
ERROR = re.compile(r"(?:^|\s)(?:fatal )?error: |^\*\* \w+ FAILED|^✘ |^Undefined symbols")
# Xcode comes without the platforms that nobody asked it for.
ABSENT = re.compile(r"\b((?:iOS|tvOS|watchOS|visionOS|macOS) [\d.]+) is not installed\b")


@dataclass
class Step:
    name: str
    command: list
    # Patterns that its output has if it passed: a status of 0 alone is no proof that something ran.
    proofs: tuple = ()
    minutes: int = 30
    # Why it cannot run here.
    reason: str = ""


@dataclass
class Result:
    name: str
    # passed, failed or skipped
    state: str
    # Why it failed or was skipped.
    note: str
    seconds: float
    lines: list


def simulator(listing):
    """(identifier, what it is) of the iPhone to test in, from the JSON of `simctl list`: of the newest iOS, and one that
    runs already if there is one. `None` without any."""
    found = []
    for runtime, devices in json.loads(listing)["devices"].items():
        version = re.search(r"\.iOS-(\d+)-(\d+)", runtime)
        for place, device in enumerate(devices if version else []):
            if device.get("isAvailable") and device["name"].startswith("iPhone"):
                number = tuple(map(int, version.groups()))
                what = f"{device['name']}, iOS {number[0]}.{number[1]}"
                found.append((number, device.get("state") == "Booted", -place, device["udid"], what))
    return max(found)[3:] if found else None


def steps(phone):
    """All steps, the quick ones first; `phone` is what `simulator` found."""
    built = (r"^\*\* BUILD SUCCEEDED \*\*",)
    found = [Step("the libraries of Homebrew", ["scripts/setup", "build"])]
    for platform, schemes in SCHEMES.items():
        for scheme in schemes:
            found.append(
                Step(
                    f"{scheme} for {platform}",
                    [
                        "xcodebuild",
                        "-scheme",
                        scheme,
                        "-destination",
                        f"generic/platform={platform}",
                        "-derivedDataPath",
                        f"{FOLDER}/xcode",
                        "-skipPackagePluginValidation",
                        "build",
                    ],
                    built,
                )
            )
    for system in ("native", "swiftbuild"):
        found.append(
            Step(
                f"swift build ({system})",
                ["swift", "build", "--build-system", system, "--scratch-path", f"{FOLDER}/{system}"],
                (r"Build complete!",),
            )
        )
    found.append(
        Step(
            "swift test",
            ["swift", "test", "--build-system", "native", "--scratch-path", f"{FOLDER}/native"],
            (r"Test run with \d+ tests?\b.* passed after",),
            minutes=90,
        )
    )
    found.append(
        Step(
            f"the sample app's tests ({phone[1] if phone else 'simulator'})",
            [
                "xcodebuild",
                "test",
                "-project",
                SAMPLE,
                "-scheme",
                "RecipeBoxApp",
                "-destination",
                f"platform=iOS Simulator,id={phone[0] if phone else ''}",
                "-derivedDataPath",
                f"{FOLDER}/sample",
                "-skipPackagePluginValidation",
            ],
            (
                r"^\*\* TEST SUCCEEDED \*\*",
                r"Test Suite 'RecordsUITests' passed",
                r"Test Suite 'SearchUITests' passed",
                r"Test run with \d+ tests?\b.* passed",
            ),
            reason="" if phone else "Xcode has no iPhone simulator: add one in Settings, Components",
        )
    )
    found.append(Step("make demo", ["make", "demo", "ONCE=1"], (r"accepted = stored: nothing was lost",)))
    found.append(Step("make install", ["make", "install", f"PREFIX={FOLDER}/installed"]))
    return found


def result(step, status, output, seconds):
    """What a step's end means."""
    lines = [line.rstrip() for line in output.splitlines() if line.strip()]
    missing = [proof for proof in step.proofs if not re.search(proof, output, re.MULTILINE)]
    if status == 0 and not missing:
        return Result(step.name, "passed", "", seconds, lines[-1:])
    if status != 0 and (absent := ABSENT.search(output)):
        note = f"{absent.group(1)} is not installed: add it in Xcode's settings, Components"
        return Result(step.name, "skipped", note, seconds, [])
    if status == 124:
        note = f"over {step.minutes} minutes, ended"
    elif status != 0:
        note = f"ended with status {status}"
    else:
        note = f"ended with status 0, but printed nothing like {missing[0]}"
    errors = [line for line in lines[:-LAST] if ERROR.search(line)][:ERRORS]
    return Result(step.name, "failed", note, seconds, errors + lines[-LAST:])


def skipped(step):
    return Result(step.name, "skipped", step.reason, 0, [])


def table(results):
    """The summary, a line for each step, and the sums."""
    width = max(len("step"), *(len(one.name) for one in results))
    lines = [f"{'step':{width}} · {'result':7} · seconds", "-" * (width + 20)]
    for one in results:
        lines.append(
            f"{one.name:{width}} · {one.state:7} · {one.seconds:7.0f}" + (f"   {one.note}" if one.note else "")
        )
    return "\n".join([*lines, "", sums(results)])


def sums(results):
    return ", ".join(
        f"{sum(one.state == state for one in results)} {state}" for state in ("passed", "failed", "skipped")
    )


def report(machine, all_steps, results):
    """All that one needs to know to mend what failed, for an issue."""
    commands = {step.name: shlex.join(step.command) for step in all_steps}
    parts = [machine, table(results)]
    for one in results:
        if one.lines:
            parts.append("\n".join([f"=== {one.name}: {one.state}", f"$ {commands[one.name]}", *one.lines]))
    return "\n\n".join(parts) + "\n"
