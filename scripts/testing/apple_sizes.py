"""What is too large for the older watches, whose `Int` has 32 bits: constants, and conversions of 64-bit numbers that trap.

The compiler's own check of constants takes the bodies of the standard library's functions, which are omitted here; so the
types that it gives to each expression are read.
"""

import json
import os
import tempfile
from pathlib import Path

# Mangled names: the kinds of integers that are smaller there, with their bits besides the sign.
NARROW = {"$sSiD": ("Int", 31), "$sSuD": ("UInt", 32)}
# The integers that such a one cannot hold.
WIDE = {
    "$sSiD": {"$ss6UInt64VD": "UInt64", "$ss5Int64VD": "Int64", "$ss6UInt32VD": "UInt32"},
    "$sSuD": {"$ss6UInt64VD": "UInt64", "$ss5Int64VD": "Int64"},
}
# `init<T: BinaryInteger>(_ source: T)` of signed and unsigned integers.
CONVERSIONS = {f"s:S{sign}ss17FixedWidthIntegerRzrlEyxqd__cSzRd__lufc" for sign in "ZU"}
FOLDED = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "<<": lambda a, b: a << b if 0 <= b < 128 else None, "/": lambda a, b: a // b if b else None,
}


def complaints(sdk, name, files, flags):
    """A complaint for each such place of a module, with file and line; or the compiler's."""
    files = [Path(os.path.relpath(file, sdk.root)) for file in sorted(files)]
    with tempfile.TemporaryDirectory() as folder:
        outputs = [Path(folder) / f"{number}.json" for number in range(len(files))]
        found = sdk.run([
            "swift-frontend", "-dump-ast", "-dump-ast-format", "json", *sdk.module_flags(name, files), *flags,
            *(str(word) for pair in zip(files, outputs) for word in ("-primary-file", pair[0], "-o", pair[1]))])
        if found:
            return found
        places = [(file, place) for file, output in zip(files, outputs) for place in too_large(json.loads(output.read_text()))]
    texts = {file: (sdk.root / file).read_bytes() for file, _ in places}
    return [
        f"{file}:{1 + texts[file][:offset].count(10)}: error: {what}"
        for file, (offset, what) in dict.fromkeys(places)]


def too_large(tree):
    """(offset, what is wrong) of each, in a syntax tree with types; nothing of a larger expression that is told."""
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack += reversed(node)
        elif isinstance(node, dict):
            if complaint := of_expression(node):
                yield node["range"]["start"], complaint
            else:
                stack += reversed([each for each in node.values() if isinstance(each, (dict, list))])


def of_expression(node):
    if "range" not in node:
        return None
    name, bits = NARROW.get(node.get("type"), (None, 0))
    number = constant(node) if name else None
    if number is not None:
        return None if -(1 << 31) <= number < 1 << bits else f"{number} is too large for the {name} of 32 bits"
    called = node.get("decl", {})
    if not isinstance(called, dict) or called.get("decl_usr") not in CONVERSIONS:
        return None
    narrow, wide = (each["replacement_type"] for each in called["substitutions"]["substitutions"])
    if (wide := WIDE.get(narrow, {}).get(wide)) is None:
        return None
    return f"{NARROW[narrow][0]} of a large {wide} traps: give `exactly`, `clamping` or `truncatingIfNeeded`"


def constant(node):
    """The value of a literal, or of what is computed from literals alone."""
    kind = node.get("_kind")
    if kind == "integer_literal_expr":
        return (-1 if node.get("negative") else 1) * int(node["value"].replace("_", ""), 0)
    if kind == "paren_expr":
        return constant(node.get("sub_expr", {}))
    values = [constant(each.get("expr", {})) for each in of_call(node)]
    if kind == "prefix_unary_expr" and len(values) == 1 and operator(node) == "-" and values[0] is not None:
        return -values[0]
    if kind == "binary_expr" and len(values) == 2 and None not in values and operator(node) in FOLDED:
        return FOLDED[operator(node)](*values)
    return None


def of_call(node):
    return node.get("args", {}).get("args", []) if isinstance(node.get("args"), dict) else []


def operator(node):
    """The name of the function that is called."""
    while "fn" in node or "sub_expr" in node:
        node = node.get("fn") or node["sub_expr"]
    return node.get("decl", {}).get("base_name")
