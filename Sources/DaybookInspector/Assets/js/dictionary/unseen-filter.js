// Which events of the dictionary are shown: all, those never seen, or those that one session has not brought.

import { call } from "../base/api.js";
import { ago } from "../base/format.js";
import { h, replaceChildren } from "../base/dom.js";

const sessionLimit = 12;

/** `choose(value)` is told of a choice, `drawn()` of an answer. Values: "", `never`, `latest` or a session's id. */
export function createUnseenFilter({ t, tags, language, live }, choose, drawn) {
    let value = "";
    let seen = null;
    let asked = null;
    let sessions = [];
    const element = h("select", { class: "field", "aria-label": t("unseen.title"), on: {
        change: () => choose(element.value || null), pointerdown: () => list(), focus: () => list() } });
    draw();
    live.listen(() => { if (element.isConnected && value !== "" && value !== "never") ask(); });

    function draw() {
        const option = (code, words) => h("option", { value: code, selected: code === value }, words);
        const known = sessions.some(({ session }) => session === value) || ["", "never", "latest"].includes(value);
        replaceChildren(element, option("", t("unseen.all")), option("never", t("unseen.never")),
            option("latest", t("unseen.latest")), sessions.map((one) => option(one.session, t("unseen.session", {
                name: [one.device ?? one.session, ago(one.last_time, Date.now(), language)].join(", ") }))),
            known ? null : option(value, t("unseen.session", { name: value })));
    }

    async function list() {
        if (sessions.length > 0) return;
        sessions = (await call(`sessions?limit=${sessionLimit}`).catch(() => ({ sessions: [] }))).sessions
            .filter(({ session }) => session);
        draw();
    }

    /** What the session has brought; asked again when records have come, one question at a time. */
    async function ask() {
        const question = `${value}/${live.head}`;
        if (asked !== null || question === seen?.question) return;
        asked = value;
        try {
            const session = value === "latest" ? (await call("sessions?limit=1")).sessions[0]?.session : value;
            const found = new Set();
            for (let before = null; session; ) {
                const query = new URLSearchParams({ session, fields: "tag", limit: "1000" });
                if (before !== null) query.set("before", before);
                const { values, next } = await call(`facets?${query}`);
                for (const one of values.tag) found.add(one.value);
                before = next;
                if (next === null) break;
            }
            seen = { value: asked, question, tags: found };
        } catch {
            seen = null;
        }
        const isOld = asked !== value;
        asked = null;
        if (isOld) ask();
        else drawn();
    }

    return {
        element,
        get value() { return value; },
        /** Whether an event is shown; all are until an answer has come. */
        allows(tag) {
            if (value === "") return true;
            if (value === "never") return !tags.of(tag);
            return seen?.value !== value || !seen.tags.has(tag);
        },
        show(given) {
            if (given !== value) {
                value = given;
                draw();
            }
            if (value !== "" && value !== "never") ask();
        },
    };
}
