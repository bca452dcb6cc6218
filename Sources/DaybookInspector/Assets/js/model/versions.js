// @ts-check
// App versions in numeric order, as in the API's releases. Pure.

/** Negative if the left version is older: `4.9.0` < `4.12.0-beta.2` < `4.12.0`. Different texts are never equal.
 * @param {string} left @param {string} right */
export function compareVersions(left, right) {
    const [one, other] = [partsOf(left), partsOf(right)];
    for (let index = 0; index < Math.max(one.length, other.length); index += 1) {
        const [a, b] = [one[index], other[index]];
        if (a === b) continue;
        // A hyphen starts a prerelease.
        if (a === "-" || b === undefined) return a === "-" ? -1 : 1;
        if (b === "-" || a === undefined) return b === "-" ? 1 : -1;
        const [first, second] = [numberOf(a), numberOf(b)];
        if (first === null || second === null) return comparePoints(a, b);
        if (first !== second) return first.length - second.length || comparePoints(first, second);
    }
    return comparePoints(left, right);
}

/** Runs of digits, and single other characters.
 * @param {string} version */
function partsOf(version) { return version.match(/[0-9]+|[^0-9]/gu) ?? []; }

/** Digits without leading zeros; null for anything else.
 * @param {string} part */
function numberOf(part) { return /^[0-9]/.test(part) ? part.replace(/^0+/, "") : null; }

/** By code point, like UTF-8.
 * @param {string} left @param {string} right */
function comparePoints(left, right) {
    const [one, other] = [[...left], [...right]];
    const at = one.findIndex((character, index) => character !== other[index]);
    if (at < 0) return one.length - other.length;
    return at >= other.length ? 1 : Number(one[at].codePointAt(0)) - Number(other[at].codePointAt(0));
}
