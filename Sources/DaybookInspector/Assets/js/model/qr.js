// @ts-check
// QR codes. Source: ISO/IEC 18004, byte mode, error correction level M (15 %), versions 1–20. Pure.

// By version: error correction codewords per block, and the number of blocks (tables 7 and 9, level M).
const correction = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26];
const blockCounts = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16];
const levelBits = 0b00;

/** @typedef {boolean[][]} Code rows of modules, true for dark */
/** @typedef {(row: number, column: number, value: boolean) => void} SetModule */

/** The code without its quiet zone of four modules. Throws RangeError if the text is too long.
 * @param {string} text @returns {Code} */
export function qrCode(text) {
    const bytes = new TextEncoder().encode(text);
    const version = blockCounts.findIndex((_, index) => bytes.length <= capacity(index + 1)) + 1;
    if (version === 0) throw new RangeError(`${bytes.length} bytes are too many for a QR code`);
    const words = interleaved(dataWords(bytes, version), version);
    const candidates = masks.map((mask, index) => drawn(version, words, mask, index));
    return candidates.reduce((best, one) => (penalty(one) < penalty(best) ? one : best));
}

/** Bytes that fit into a version.
 * @param {number} version */
function capacity(version) { return dataCount(version) - (version < 10 ? 2 : 3); }

/** Data codewords.
 * @param {number} version */
function dataCount(version) {
    return Math.floor(modules(version) / 8) - correction[version - 1] * blockCounts[version - 1];
}

/** Modules for codewords (table 1).
 * @param {number} version */
function modules(version) {
    const patterns = version < 2 ? 0 : Math.floor(version / 7) + 2;
    const alignment = version < 2 ? 0 : (25 * patterns - 10) * patterns - 55;
    return (16 * version + 128) * version + 64 - alignment - (version < 7 ? 0 : 36);
}

/** @param {Uint8Array} bytes @param {number} version */
function dataWords(bytes, version) {
    /** @type {number[]} */
    const bits = [];
    const push = (/** @type {number} */ value, /** @type {number} */ length) => {
        for (let bit = length - 1; bit >= 0; bit -= 1) bits.push((value >> bit) & 1);
    };
    push(0b0100, 4);
    push(bytes.length, version < 10 ? 8 : 16);
    for (const byte of bytes) push(byte, 8);
    const size = dataCount(version) * 8;
    push(0, Math.min(4, size - bits.length));
    push(0, (8 - (bits.length % 8)) % 8);
    for (let pad = 0xec; bits.length < size; pad ^= 0xec ^ 0x11) push(pad, 8);
    return Array.from({ length: size / 8 }, (_, index) => parseInt(bits.slice(index * 8, index * 8 + 8).join(""), 2));
}

/** Interleaves the codewords: the first of every block, then the second, and so on.
 * @param {number[]} data @param {number} version */
function interleaved(data, version) {
    const count = blockCounts[version - 1];
    const short = Math.floor(data.length / count);
    const longer = data.length % count;
    const blocks = [];
    for (let index = 0, start = 0; index < count; index += 1) {
        const length = short + (index < count - longer ? 0 : 1);
        blocks.push(data.slice(start, start + length));
        start += length;
    }
    const checks = blocks.map((block) => remainder(block, correction[version - 1]));
    const take = (/** @type {number[][]} */ parts) =>
        Array.from({ length: Math.max(...parts.map(({ length }) => length)) }, (_, index) =>
        parts.filter((part) => index < part.length).map((part) => part[index])).flat();
    return [...take(blocks), ...take(checks)];
}

/** The Reed–Solomon codewords of a block, over GF(2⁸) with x⁸ + x⁴ + x³ + x² + 1.
 * @param {number[]} block @param {number} degree */
export function remainder(block, degree) {
    let generator = [1];
    for (let power = 0, root = 1; power < degree; power += 1, root = product(root, 2)) {
        const next = [...generator, 0];
        generator.forEach((value, index) => { next[index + 1] ^= product(value, root); });
        generator = next;
    }
    /** @type {number[]} */
    const rest = new Array(degree).fill(0);
    for (const byte of block) {
        const factor = byte ^ (rest.shift() ?? 0);
        rest.push(0);
        rest.forEach((_, index) => { rest[index] ^= product(generator[index + 1], factor); });
    }
    return rest;
}

/** @param {number} left @param {number} right */
function product(left, right) {
    let result = 0;
    for (let bit = 7; bit >= 0; bit -= 1) {
        result = (result << 1) ^ ((result >> 7) * 0x11d);
        if ((right >> bit) & 1) result ^= left;
    }
    return result;
}

/** @type {((row: number, column: number) => boolean)[]} */
const masks = [
    (row, column) => (row + column) % 2 === 0,
    (row) => row % 2 === 0,
    (_row, column) => column % 3 === 0,
    (row, column) => (row + column) % 3 === 0,
    (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
    (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
    (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
    (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
];

/** @param {number} version @param {number[]} words @param {(row: number, column: number) => boolean} mask
 * @param {number} maskNumber @returns {Code} */
function drawn(version, words, mask, maskNumber) {
    const size = version * 4 + 17;
    const dark = Array.from({ length: size }, () => new Array(size).fill(false));
    const fixed = Array.from({ length: size }, () => new Array(size).fill(false));
    /** @type {SetModule} */
    const set = (row, column, value) => {
        if (row < 0 || column < 0 || row >= size || column >= size) return;
        dark[row][column] = value;
        fixed[row][column] = true;
    };
    drawPatterns(version, size, set);
    drawFormat(size, formatBits(maskNumber), set);
    place(words, dark, fixed);
    return dark.map((line, row) => line.map((value, column) =>
        (fixed[row][column] ? value : value !== mask(row, column))));
}

/** @param {number} version @param {number} size @param {SetModule} set */
function drawPatterns(version, size, set) {
    for (let index = 0; index < size; index += 1) {
        set(6, index, index % 2 === 0);
        set(index, 6, index % 2 === 0);
    }
    const square = (/** @type {number} */ row, /** @type {number} */ column, /** @type {number} */ radius,
        /** @type {number[]} */ rings) => {
        for (let y = -radius; y <= radius; y += 1) {
            for (let x = -radius; x <= radius; x += 1) {
                set(row + y, column + x, rings.includes(Math.max(Math.abs(x), Math.abs(y))));
            }
        }
    };
    const places = alignmentPlaces(version, size);
    for (const row of places) {
        for (const column of places) {
            const isFinder = (row === 6 && (column === 6 || column === size - 7)) || (row === size - 7 && column === 6);
            if (!isFinder) square(row, column, 2, [0, 2]);
        }
    }
    for (const [row, column] of [[3, 3], [3, size - 4], [size - 4, 3]]) square(row, column, 4, [0, 1, 3]);
    if (version < 7) return;
    const bits = versionBits(version);
    for (let index = 0; index < 18; index += 1) {
        const [near, far] = [Math.floor(index / 3), size - 11 + (index % 3)];
        set(near, far, ((bits >> index) & 1) === 1);
        set(far, near, ((bits >> index) & 1) === 1);
    }
}

/** @param {number} version @param {number} size */
function alignmentPlaces(version, size) {
    if (version === 1) return [];
    const count = Math.floor(version / 7) + 2;
    const step = Math.ceil((size - 13) / (count * 2 - 2)) * 2;
    return [6, ...Array.from({ length: count - 1 }, (_, index) => size - 7 - (count - 2 - index) * step)];
}

/** 15 bits: level and mask, their BCH(15, 5) remainder, and a mask of their own (annex C).
 * @param {number} mask */
export function formatBits(mask) {
    const data = (levelBits << 3) | mask;
    return ((data << 10) | divided(data, 10, 0x537)) ^ 0x5412;
}

/** 18 bits: the version and its BCH(18, 6) remainder (annex D).
 * @param {number} version */
export function versionBits(version) { return (version << 12) | divided(version, 12, 0x1f25); }

/** @param {number} data @param {number} degree @param {number} generator */
function divided(data, degree, generator) {
    let rest = data;
    for (let bit = 0; bit < degree; bit += 1) rest = (rest << 1) ^ ((rest >> (degree - 1)) * generator);
    return rest;
}

/** @param {number} size @param {number} bits @param {SetModule} set */
function drawFormat(size, bits, set) {
    const bit = (/** @type {number} */ index) => ((bits >> index) & 1) === 1;
    for (let index = 0; index < 15; index += 1) {
        // Around the top left finder, skipping the timing patterns, and again at the other two.
        if (index < 8) {
            set(index < 6 ? index : index + 1, 8, bit(index));
            set(8, size - 1 - index, bit(index));
        } else {
            set(8, index === 8 ? 7 : 14 - index, bit(index));
            set(size - 15 + index, 8, bit(index));
        }
    }
    set(size - 8, 8, true);
}

/** Two columns at a time from the right, alternately up and down, skipping the vertical timing pattern.
 * @param {number[]} words @param {Code} dark @param {Code} fixed the modules that belong to patterns */
function place(words, dark, fixed) {
    const size = dark.length;
    let bit = 0;
    for (let right = size - 1; right >= 1; right -= 2) {
        if (right === 6) right = 5;
        const isUp = ((right + 1) & 2) === 0;
        for (let step = 0; step < size; step += 1) {
            const row = isUp ? size - 1 - step : step;
            for (const column of [right, right - 1]) {
                if (fixed[row][column] || bit >= words.length * 8) continue;
                dark[row][column] = ((words[bit >> 3] >> (7 - (bit & 7))) & 1) === 1;
                bit += 1;
            }
        }
    }
}

/** How hard a code is to read (7.8.3): long runs, blocks, patterns like a finder's, an uneven share of dark.
 * @param {Code} code */
function penalty(code) {
    const size = code.length;
    const columns = code.map((_, column) => code.map((row) => row[column]));
    let sum = 0;
    for (const line of [...code, ...columns]) {
        const text = line.map((value) => (value ? "1" : "0")).join("");
        for (const run of text.match(/0{5,}|1{5,}/g) ?? []) sum += run.length - 2;
        sum += [...text.matchAll(/(?=00001011101|10111010000)/g)].length * 40;
    }
    for (let row = 1; row < size; row += 1) {
        for (let column = 1; column < size; column += 1) {
            const value = code[row][column];
            if (value === code[row - 1][column] && value === code[row][column - 1]
                && value === code[row - 1][column - 1]) {
                sum += 3;
            }
        }
    }
    const share = (code.flat().filter(Boolean).length * 100) / (size * size);
    return sum + Math.floor(Math.abs(share - 50) / 5) * 10;
}
