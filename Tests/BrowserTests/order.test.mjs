import assert from "node:assert/strict";
import test from "node:test";
import { AnswerOrder } from "../../Sources/DaybookInspector/Assets/js/base/answer-order.js";

test("answers that come in order all count", () => {
    const order = new AnswerOrder();
    const [first, second] = [order.ask(), order.ask()];
    assert.deepEqual([first(), second()], [true, true]);
});

test("an older answer that comes after a newer one does not count", () => {
    const order = new AnswerOrder();
    const [first, second, third] = [order.ask(), order.ask(), order.ask()];
    assert.deepEqual([second(), first(), third()], [true, false, true]);
});

test("answers about something else no longer count, in whatever order they come", () => {
    const order = new AnswerOrder();
    const [first, second] = [order.ask(), order.ask()];
    const anew = order.askAnew();
    assert.deepEqual([second(), first(), anew()], [false, false, true]);
});

test("an answer is waited for until it, or a later one, has come", () => {
    const order = new AnswerOrder();
    assert.equal(order.isWaiting, false);
    const [first, second] = [order.ask(), order.ask()];
    first();
    assert.equal(order.isWaiting, true);
    second();
    assert.equal(order.isWaiting, false);
    const anew = order.askAnew();
    assert.equal(order.isWaiting, true);
    anew();
    assert.equal(order.isWaiting, false);
});
