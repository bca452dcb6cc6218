import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { formatBits, qrCode, remainder, versionBits } from "../../Sources/DaybookInspector/Assets/js/model/qr.js";

const drawing = (code) => code.map((row) => row.map((isDark) => (isDark ? "#" : ".")).join("")).join("\n");

test("the codewords for correction are those of the known example", () => {
    // HELLO WORLD in 1-M, the example of many tutorials.
    assert.deepEqual(remainder([32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236, 17, 236, 17], 10),
        [196, 35, 39, 119, 235, 215, 231, 226, 93, 23]);
});

test("format and version are those of the standard's tables", () => {
    // ISO/IEC 18004, tables C.1 (level M) and D.1.
    assert.deepEqual([0, 1, 5, 7].map((mask) => formatBits(mask).toString(2).padStart(15, "0")),
        ["101010000010010", "101000100100101", "100000011001110", "100101010100000"]);
    assert.deepEqual([7, 8, 20].map((version) => versionBits(version).toString(2).padStart(18, "0")),
        ["000111110010010100", "001000010110111100", "010100100110100110"]);
});

test("a text becomes the code that another encoder draws", () => {
    // Drawn by python-qrcode 8 in byte mode, level M; it chose the same mask.
    assert.equal(drawing(qrCode("daybook://pair")), [
        "#######..####.#######",
        "#.....#..##.#.#.....#",
        "#.###.#.##.##.#.###.#",
        "#.###.#.#.###.#.###.#",
        "#.###.#.##..#.#.###.#",
        "#.....#.#...#.#.....#",
        "#######.#.#.#.#######",
        "........#............",
        "#.#####.....#.#####..",
        "#####..#..##..#.#.#.#",
        ".#.#.##.#####.##.###.",
        "#..##..#.####...###..",
        "#.#...#.......####.#.",
        "........##...####...#",
        "#######..######..###.",
        "#.....#.#.###...###.#",
        "#.###.#.##..#.#.#..##",
        "#.###.#.#.#..####.#..",
        "#.###.#.#..####......",
        "#.....#..##.##..###..",
        "#######.###.###.#..#.",
    ].join("\n"));
});

test("long texts, in many blocks, become the codes that another encoder draws", () => {
    // SHA-256 of python-qrcode 8's drawings.
    const digests = {
        100: "43736aa6a146f6b62fec138528a39e979f812bc6f82cd68ec47c6085a9f8bb74",
        130: "ac63753636d15092057891f4b08a16ddf3f9dc742d6d27fcb8e7db5faaf1687b",
        200: "0259b799f53ca250d7a184d6ba7659fea6f54c99f2196064d3650e500c41ea12",
        250: "ef062c1ac1f31b26554b6c3cf82bc2cf3b837610a5815c76d50e6b1812b34dd2",
        300: "7230f50eed897cb1668b4d59b0e3b62c9ec674ea4768308201a481d945922cbf",
        450: "5d07d3e3f119cd2cbc4c6bddcced40e0b0298f186afdaedb9c9f1f86265a1822",
        600: "2783cd53222d49cbbc1f1f6586cd50c5cd193c5824bd098aec336ece6e1be147",
    };
    const text = `daybook://pair?collector=https://logs.example:4318&code=${"0123456789abcdef".repeat(60)}`;
    for (const [length, digest] of Object.entries(digests)) {
        const code = drawing(qrCode(text.slice(0, Number(length))));
        assert.equal(createHash("sha256").update(code).digest("hex"), digest, `${length} bytes`);
    }
});

test("the size follows the length, and what is too long is refused", () => {
    // The capacity in bytes of versions 1, 2, 9, 10 and 20 at level M (table 7).
    for (const [bytes, version] of [[14, 1], [15, 2], [26, 2], [27, 3], [180, 9], [181, 10], [213, 10], [666, 20]]) {
        assert.equal(qrCode("x".repeat(bytes)).length, version * 4 + 17, `${bytes} bytes`);
    }
    assert.throws(() => qrCode("x".repeat(667)), RangeError);
    // Bytes count, not characters.
    assert.equal(qrCode("あああああ").length, 25);
});
