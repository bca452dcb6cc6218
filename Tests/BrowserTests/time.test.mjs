import assert from "node:assert/strict";
import test from "node:test";
import { isSameDay, shortDay, shortMoment, stretch } from "../../Sources/DaybookInspector/Assets/js/base/format.js";
import { timeAxis } from "../../Sources/DaybookInspector/Assets/js/model/time-axis.js";

const at = (...parts) => (BigInt(new Date(...parts).getTime()) * 1_000_000n).toString();

test("a stretch has its days where they are not today, and both where it crosses midnight", () => {
    const now = new Date(2026, 10, 21, 12).getTime();
    assert.equal(stretch(at(2026, 10, 21, 9), at(2026, 10, 21, 10), now, "en"), "09:00:00.000 – 10:00:00.000");
    assert.equal(stretch(at(2026, 10, 20, 15), at(2026, 10, 21, 9), now, "en"),
        "Fri, Nov 20, 15:00:00.000 – Sat, Nov 21, 09:00:00.000");
    assert.equal(stretch(at(2026, 10, 20, 15), at(2026, 10, 20, 16), now, "en"),
        "Fri, Nov 20, 15:00:00.000 – 16:00:00.000");
    assert.equal(stretch(undefined, at(2026, 10, 20, 16), now, "en"), "… – Fri, Nov 20, 16:00:00.000");
    assert.ok(isSameDay(at(2026, 10, 20, 0), at(2026, 10, 20, 23, 59)) && !isSameDay(at(2026, 10, 20, 23), at(2026, 10, 21)));
});

test("a day has its year where that is not the reader's, wherever days are written, in every language", () => {
    const now = new Date(2026, 10, 21, 12).getTime();
    for (const language of ["en", "ja", "ru"]) {
        for (const year of [1970, 2010, 2025, 2026, 2027, 2038]) {
            const [time, later] = [at(year, 2, 1, 9), at(year, 2, 3, 10)];
            const days = timeAxis(time, later, 4, language, now).filter(({ isDate }) => isDate);
            assert.ok(days.length > 0);
            for (const text of [shortDay(time, language, now), shortMoment(time, now, language),
                stretch(time, later, now, language), ...days.map((mark) => mark.text)]) {
                assert.equal(text.includes(String(year)), year !== 2026, text);
            }
        }
    }
    assert.equal(shortDay(at(2025, 10, 20), "en", now), "Nov 20, 2025");
});

test("the marks of an axis are round, and a day's begins with its date", () => {
    const marks = (from, to, most) => timeAxis(from, to, most, "en", new Date(2026, 1).getTime()).map(({ text }) => text);
    assert.deepEqual(marks(at(2026, 10, 20, 15), at(2026, 10, 21, 9), 8),
        ["15:00", "18:00", "21:00", "Sat, Nov 21", "03:00", "06:00"]);
    assert.deepEqual(marks(at(2026, 10, 20, 10, 0, 2), at(2026, 10, 20, 10, 0, 28), 6), ["10:00:05", "10:00:10",
        "10:00:15", "10:00:20", "10:00:25"]);
    assert.deepEqual(marks(at(2026, 10, 1, 5), at(2026, 10, 22), 4), ["Sun, Nov 8", "Sun, Nov 15"]);
    const [first] = timeAxis(at(2026, 10, 20, 12), at(2026, 10, 22, 12), 4, "en");
    assert.deepEqual(first, { share: 0, isDate: false, text: "12:00" });
    assert.deepEqual(timeAxis("5", "5", 4, "en"), []);
});

test("an axis has no more marks than there is room for", () => {
    for (const days of [0.01, 0.3, 1, 3, 40, 400, 9_000]) {
        const end = (BigInt(at(2026, 0, 1)) + BigInt(Math.round(days * 86_400)) * 1_000_000_000n).toString();
        const { length } = timeAxis(at(2026, 0, 1), end, 7, "en");
        assert.ok(length > 0 && length <= 8, `${days} days: ${length}`);
    }
});
