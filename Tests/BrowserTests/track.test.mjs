import assert from "node:assert/strict";
import test from "node:test";
import { Track } from "../../Sources/DaybookInspector/Assets/js/base/track.js";

function million() {
    const track = new Track(32, 6_000_000);
    track.resize(1_000_000, 800);
    return track;
}

test("a short list scrolls as it stands", () => {
    const track = new Track(32);
    track.resize(100, 800);
    track.scrolled(640);
    assert.equal(track.offset, 640);
    assert.equal(track.height, 3200);
    assert.deepEqual(track.range(0), { first: 20, last: 45 });
});

test("a million rows stay below the cap", () => {
    assert.equal(million().height, 6_000_000);
});

test("both ends of a long list are reached", () => {
    const track = million();
    track.scrolled(track.maxScroll);
    assert.equal(track.range(0).last, 999_999);
    track.scrolled(0);
    assert.equal(track.offset, 0);
});

test("a small step moves the same number of pixels anywhere", () => {
    const track = million();
    for (const place of [0, 5_000, 16_000_000, 31_000_000]) {
        track.place(place);
        const [offset, scroll] = [track.offset, track.scroll];
        track.scrolled(scroll + 120);
        assert.equal(track.offset - offset, 120);
    }
});

test("rows keep their place on the screen while a step is drawn", () => {
    const track = million();
    track.place(16_000_000);
    const before = track.position(500_010) - track.scroll;
    track.scrolled(track.scroll + 64);
    assert.equal(track.position(500_010) - track.scroll, before - 64);
});

test("a drag goes by proportion and the two mappings undo each other", () => {
    const track = million();
    track.scrolled(3_000_000);
    assert.ok(Math.abs(track.offset - 16_000_000) < 20_000);
    for (const scroll of [0, 400, 1_499_000, 2_000_000, 4_600_000, track.maxScroll]) {
        assert.ok(Math.abs(track.scrollFor(track.offsetFor(scroll)) - scroll) < 1);
    }
});

test("a list that grows at its end keeps the reader's offset", () => {
    const track = million();
    track.place(2_000_000);
    track.resize(1_200_000, 800);
    assert.equal(track.offset, 2_000_000);
});

test("a list that shrinks keeps the view inside", () => {
    const track = million();
    track.place(track.maxOffset);
    track.resize(10, 800);
    assert.equal(track.offset, 0);
    assert.deepEqual(track.range(5), { first: 0, last: 9 });
});

test("revealing a row moves no more than needed", () => {
    const track = million();
    track.place(3_200);
    assert.equal(track.reveal(110), 3_200);
    assert.equal(track.reveal(99), 3_168);
    assert.equal(track.reveal(125), 125 * 32 + 32 - 800);
});
