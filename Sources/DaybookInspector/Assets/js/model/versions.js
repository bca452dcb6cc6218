// @ts-check
// Versions of an app in the order in which people number them, as the API's releases have it. Pure.

/** Below zero where the left one is older: `4.9.0` comes before `4.12.0`, and `4.12.0-beta.2` before `4.12.0`.
 * Different texts always have an order.
 * @param {string} left @param {string} right */
export function compareVersions(left, right) {
    const [one, other] = [partsOf(left), partsOf(right)];
    for (let index = 0; index < Math.max(one.length, other.length); index += 1) {
        const [a, b] = [one[index], other[index]];
        if (a === b) continue;
        // What is before a release stands behind a hyphen.
        if (a === "-" || b === undefined) return a === "-" ? -1 : 1;
        if (b === "-" || a === undefined) return b === "-" ? 1 : -1;
        const [first, second] = [numberOf(a), numberOf(b)];
        if (first === null || second === null) return comparePoints(a, b);
        if (first !== second) return first.length - second.length || comparePoints(first, second);
    }
    return comparePoints(left, right);
}

/** Runs of digits, and each other character by itself.
 * @param {string} version */
function partsOf(version) { return version.match(/[0-9]+|[^0-9]/gu) ?? []; }

/** Digits without zeros before them; null for anything else.
 * @param {string} part */
function numberOf(part) { return /^[0-9]/.test(part) ? part.replace(/^0+/, "") : null; }

/** By code points, which is the order of the texts' UTF-8.
 * @param {string} left @param {string} right */
function comparePoints(left, right) {
    const [one, other] = [[...left], [...right]];
    const at = one.findIndex((character, index) => character !== other[index]);
    if (at < 0) return one.length - other.length;
    return at >= other.length ? 1 : Number(one[at].codePointAt(0)) - Number(other[at].codePointAt(0));
}
