// @ts-check
// Which events are listed: all, those never seen, or those that a session lacks.

import { call, eachPart, recordQuery } from "../base/api.js";
import { h, replaceChildren } from "../base/dom.js";
import { ago } from "../base/format.js";

const mostSessions = 12;

export class UnseenFilter {
    /** "", `never`, `latest` or a session's id. */
    value = "";
    /** A session's tags; `question` includes the head at the time.
     * @type {{ value: string, question: string, tags: Set<string> } | null} */
    #seen = null;
    /** @type {string | null} the value that is being asked about */
    #asked = null;
    /** @type {SessionSummary[]} the choices, once somebody wants them */
    #sessions = [];

    /** @param {PageContext} context @param {(value: string | null) => void} choose told of a choice
     * @param {() => void} answered told of an answer */
    constructor(context, choose, answered) {
        this.context = context;
        this.answered = answered;
        const list = () => { this.#list(); };
        this.element = h("select", { class: "field", "aria-label": context.t("unseen.title"), on: {
            change: () => { choose(this.element.value || null); }, pointerdown: list, focus: list } });
        this.#draw();
        context.live.listen(() => { if (this.element.isConnected && this.#isOfSession) this.#ask(); });
    }

    get #isOfSession() { return this.value !== "" && this.value !== "never"; }

    /** @param {string} value */
    show(value) {
        if (value !== this.value) {
            this.value = value;
            this.#draw();
        }
        if (this.#isOfSession) this.#ask();
    }

    /** Whether an event is listed; all are until the answer arrives.
     * @param {string} tag */
    allows(tag) {
        if (this.value === "") return true;
        if (this.value === "never") return !this.context.tags.of(tag);
        return this.#seen?.value !== this.value || !this.#seen.tags.has(tag);
    }

    #draw() {
        const { t, language } = this.context;
        const option = (/** @type {string} */ value, /** @type {string} */ name) =>
            h("option", { value, selected: value === this.value }, name);
        const isKnown = ["", "never", "latest", ...this.#sessions.map(({ session }) => session)].includes(this.value);
        replaceChildren(this.element, option("", t("unseen.all")), option("never", t("unseen.never")),
            option("latest", t("unseen.latest")), this.#sessions.map((one) => option(one.session, t("unseen.session", {
                name: [one.device ?? one.session, ago(one.last_time, Date.now(), language)].join(", ") }))),
            isKnown ? null : option(this.value, t("unseen.session", { name: this.value })));
    }

    async #list() {
        if (this.#sessions.length > 0) return;
        const { sessions } = await call(`sessions?limit=${mostSessions}`).catch(() => ({ sessions: [] }));
        this.#sessions = sessions.filter(({ session }) => session);
        this.#draw();
    }

    /** Asks for the session's tags; again when records have arrived, one request at a time. */
    async #ask() {
        const { value } = this;
        const question = `${value}/${this.context.live.head}`;
        if (this.#asked !== null || question === this.#seen?.question) return;
        this.#asked = value;
        try {
            const session = value === "latest" ? (await call("sessions?limit=1")).sessions[0]?.session : value;
            this.#seen = { value, question, tags: session ? await tagsOf(session) : new Set() };
        } catch {
            this.#seen = null;
        }
        this.#asked = null;
        if (value !== this.value) this.#ask();
        else this.answered();
    }
}

/** @param {string} session */
async function tagsOf(session) {
    /** @type {Set<string>} */
    const found = new Set();
    await eachPart((before) => call(`facets?${recordQuery({ session, fields: "tag", limit: 1_000, before })}`),
        ({ values }) => { for (const { value } of values.tag) found.add(value); });
    return found;
}
