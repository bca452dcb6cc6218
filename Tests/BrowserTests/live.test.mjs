import assert from "node:assert/strict";
import test from "node:test";
import { ApiError } from "../../Sources/DaybookInspector/Assets/js/base/api.js";
import { Live } from "../../Sources/DaybookInspector/Assets/js/base/live.js";

/** Streams that a test opens, feeds and ends, and a tab that is hidden and shown. */
function tab(context) {
    const listeners = {};
    globalThis.document = { hidden: false, addEventListener: (name, listener) => { listeners[name] = listener; } };
    globalThis.addEventListener = (name, listener) => { listeners[name] = listener; };
    const { setTimeout, clearTimeout } = globalThis;
    let now = 0;
    const timers = new Set();
    globalThis.setTimeout = (work, wait) => {
        const timer = { work, at: now + wait };
        timers.add(timer);
        return timer;
    };
    globalThis.clearTimeout = (timer) => timers.delete(timer);
    const tick = (time) => {
        now += time;
        for (const timer of [...timers]) if (timer.at <= now && timers.delete(timer)) timer.work();
    };
    context.after(() => {
        delete globalThis.document;
        delete globalThis.addEventListener;
        Object.assign(globalThis, { setTimeout, clearTimeout });
    });
    const streams = [];
    const live = new Live((take, signal) => new Promise((resolve, reject) => {
        streams.push({ take, signal, end: resolve, fail: reject });
        signal.addEventListener("abort", () => reject(new DOMException("given up", "AbortError")));
    }));
    const states = [];
    live.listen(() => states.push(`${live.state} ${live.head}`));
    const turn = () => new Promise((done) => { setImmediate(done); });
    const hide = (isHidden) => {
        globalThis.document.hidden = isHidden;
        listeners.visibilitychange();
    };
    return { live, streams, states, turn, hide, online: () => listeners.online(), tick };
}

test("what counts up to the head waits until it is known, or cannot be", async (context) => {
    const { live, streams, turn } = tab(context);
    live.start();
    let heard = 0;
    live.heard().then(() => { heard += 1; });
    await turn();
    assert.equal(heard, 0);
    streams[0].take({ head: 7 });
    await turn();
    assert.deepEqual([heard, live.head], [1, 7]);
    await live.heard();
});

test("each growth of the head is told once", (context) => {
    const { live, streams, states } = tab(context);
    live.start();
    for (const head of [3, 3, "7"]) streams[0].take({ head });
    assert.deepEqual(states, ["open 3", "open 7"]);
});

test("a lost stream keeps the head, and is opened again later and later", async (context) => {
    const { live, streams, states, turn, tick } = tab(context);
    live.start();
    streams[0].take({ head: 3 });
    for (const [count, wait] of [[2, 500], [3, 1_000], [4, 2_000]]) {
        streams.at(-1).end();
        await turn();
        tick(wait - 1);
        assert.equal(streams.length, count - 1);
        tick(1);
        assert.equal(streams.length, count);
    }
    assert.deepEqual(states, ["open 3", "lost 3"]);
    streams.at(-1).take({ head: 4 });
    streams.at(-1).end();
    await turn();
    tick(500);
    assert.equal(streams.length, 5);
});

test("a hidden tab holds no stream, and what its old one says is no news", async (context) => {
    const { live, streams, states, turn, tick, hide } = tab(context);
    live.start();
    streams[0].take({ head: 3 });
    hide(true);
    await turn();
    assert.equal(streams[0].signal.aborted, true);
    tick(60_000);
    assert.equal(streams.length, 1);
    hide(false);
    streams[1].take({ head: 9 });
    assert.deepEqual(states, ["open 3", "open 9"]);
});

test("of two streams the last opened one stays", async (context) => {
    const { live, streams, turn, tick, online } = tab(context);
    live.start();
    online();
    await turn();
    assert.deepEqual(streams.map(({ signal }) => signal.aborted), [true, false]);
    tick(60_000);
    assert.equal(streams.length, 2);
});

test("a token that is refused is not shown again", async (context) => {
    const { live, streams, turn, tick, online } = tab(context);
    live.start();
    streams[0].fail(new ApiError("unauthorized", "no", 401));
    await turn();
    assert.equal(live.state, "locked");
    online();
    tick(60_000);
    assert.equal(streams.length, 1);
});
