"""Type-checks the modules of the inspector's page against their shared shapes, with TypeScript."""

import shutil

from counting import Count
from process import run


def check(config):
    """The check of what a `jsconfig.json` includes, as one test."""
    if shutil.which("tsc") is None:
        return Count(skips=[("the page's types", "tsc is not installed")])
    # An error's line has its file, position and message.
    status, _ = run(["tsc", "--project", str(config)], 300)
    return Count(passed=1) if status == 0 else Count(failures=[("tsc", f"ended with status {status}")])
