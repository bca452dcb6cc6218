// @ts-check
// Sessions: visits, with names of one's own, and import of records from a file.

import { call, messageOf, recordQuery } from "../base/api.js";
import { enter, quietButton, searchBox, searchField, textButton } from "../base/controls.js";
import { foreign, h, replaceChildren } from "../base/dom.js";
import { ago, calendarDay, cut, duration, folded, shortMoment } from "../base/format.js";
import { ListScreen } from "../base/list-screen.js";
import { failureNotice, notice } from "../base/pane.js";
import { searchPeople, testerOf, usersOf } from "./people.js";
import { SessionDetail } from "./session-detail.js";

const pageSize = 50;
const mostShown = 1_000;
const pause = 3_000;
const typingPause = 200;
const longestPerson = 40;
const lookPause = 30_000;

/** @implements {PageScreen} */
export class Sessions extends ListScreen {
    /** @type {SessionSummary[] | null} the latest first; null until an answer has come */
    #sessions = null;
    /** @type {SessionSummary | null} the chosen session, where it is not in the list */
    #linked = null;
    /** The search. */
    #query = "";
    /** @type {Set<string>} found by the store; the page itself searches own names and days */
    #matched = new Set();
    /** @type {Map<string, SessionSummary>} found by the names of their people, so far */
    #named = new Map();
    /** @type {Map<string, User | null>} by the session's id and last time; null for no user */
    #users = new Map();
    /** @type {StoredRun[]} the latest first: who tested when */
    #runs = [];
    /** @type {object | null} the search for people that goes on, or was the last */
    #look = null;
    /** @type {string[]} columns of users that the last search left out, because they are private */
    #unsearched = [];
    /** The last search for people, and its time by `performance.now()`. */
    #looked = { search: "", at: 0 };
    /** @type {string | null} where the next page begins; null at the end */
    #next = null;
    /** The head when the sessions were requested. */
    #askedHead = -1;
    #older;
    #file;
    #search;
    #status = h("span", { class: "muted", role: "status" });
    #detail;

    /** @param {PageContext} context */
    constructor(context) {
        super(context, "sessions", "sessions", "detail");
        const { t, live } = context;
        this.#older = quietButton(t("net.older"), () => this.#load(true), { hidden: true });
        this.#file = h("input", { type: "file", accept: ".ndjson,.jsonl,application/x-ndjson", class: "unseen",
            tabindex: "-1", "aria-label": t("sessions.import"), on: { change: () => { this.#import(); } } });
        this.#search = searchField(t("sessions.search"), typingPause,
            () => { if (this.#search.isConnected) this.go(null, true); });
        this.toolbar.append(h("span", { class: "gap" }), this.#status,
            textButton(t("sessions.import"), () => this.#file.click()), this.#file, searchBox(this.#search));
        this.main.append(this.#older);
        this.#detail = new SessionDetail(context, {
            personOf: (session) => this.#personOf(session),
            nameOf: (session) => this.#nameOf(session),
            rename: ({ session }, name) => {
                context.storage.set(nameKey(session), name === "" ? null : name);
                this.draw();
            },
            close: () => this.go(null),
            removed: (failure) => {
                this.#status.textContent = failure === null ? "" : messageOf(failure);
                if (failure === null) this.go(null);
                this.#load(false);
            },
        });
        this.side = this.#detail.element;
        setInterval(() => {
            const isBehind = live.head !== this.#askedHead && !this.order.isWaiting;
            if (this.main.isConnected && isBehind && live.state === "open") this.#load(false);
        }, pause);
    }

    /** @param {Route} route */
    show({ path, params: { q = "" } }) {
        const isOther = this.select(path) || q !== this.#query;
        if (q !== this.#query) this.#named.clear();
        this.#query = q;
        if (document.activeElement !== this.#search) this.#search.value = q;
        this.draw();
        this.#load(false, isOther ? this.order.askAnew() : this.order.ask());
    }

    /** @param {boolean} isMore whether older ones are asked for, and not all that are shown anew
     * @param {() => boolean} [isNews] */
    async #load(isMore, isNews) {
        this.#askedHead = this.context.live.head;
        const known = this.#sessions ?? [];
        // A search covers everything that the page can show.
        const limit = Math.min(isMore ? pageSize : Math.max(this.#query ? mostShown : pageSize, known.length),
            mostShown);
        const isAnswer = await this.ask(async () => {
            const before = isMore ? this.#next : null;
            const { sessions, next } = await call(`sessions?${recordQuery({ limit, before })}`);
            const listed = isMore ? [...known, ...sessions] : sessions;
            const search = this.#query.trim();
            const matched = search ? (await call(`sessions?${recordQuery({ limit: mostShown, search })}`)).sessions
                : [];
            const linked = await this.#sessionBeside(new Set([...listed, ...matched].map(({ session }) => session)));
            const { runs } = await call("runs");
            return () => {
                [this.#runs, this.#next, this.#linked] = [runs, next, linked];
                this.#older.hidden = next === null || limit >= mostShown;
                this.#matched = new Set(matched.map(({ session }) => session));
                const own = new Set(listed.map(({ session }) => session));
                this.#sessions = [...listed, ...matched.filter(({ session }) => !own.has(session))];
            };
        }, isNews);
        if (isAnswer && this.failure === null) this.#lookForPeople();
    }

    // People.

    /** Searches for people, and looks up the names for listed sessions, while the list is already there. */
    async #lookForPeople() {
        const own = this.#look = {};
        const goesOn = () => own === this.#look && this.main.isConnected;
        const search = this.#query.trim();
        try {
            // Arrivals alone do not repeat a search of the whole store.
            const isKnown = search === this.#looked.search && performance.now() - this.#looked.at < lookPause;
            const tell = (/** @type {Progress | null} */ progress) => {
                this.#status.textContent = progress && this.context.t("history.searching",
                    { done: Number(progress.done), all: Number(progress.total) });
            };
            if (!isKnown) this.#unsearched = await searchPeople(search, this.#runs,
                { goesOn, found: (sessions) => this.#add(sessions, search), progress: tell });
            if (!isKnown && goesOn()) this.#looked = { search, at: performance.now() };
            const unknown = this.#found.filter((session) => !this.#users.has(personKey(session))).slice(0, pageSize);
            await usersOf(unknown, (session, user) => { this.#users.set(personKey(session), user); }, goesOn);
        } catch {
            // The next arrival tries again.
        }
        if (goesOn()) this.draw();
    }

    /** @param {SessionSummary[]} sessions @param {string} search */
    #add(sessions, search) {
        const news = sessions.filter(({ session }) => !this.#named.has(session));
        if (search !== this.#query.trim() || news.length === 0) return;
        for (const session of news) this.#named.set(session.session, session);
        this.draw();
    }

    /** @param {SessionSummary} session @returns {SessionPerson} */
    #personOf(session) {
        return { user: this.#users.get(personKey(session)) ?? null, tester: testerOf(session, this.#runs) };
    }

    /** The selected session, if a link led to one that is not listed.
     * @param {Set<string>} shown the ids of the list */
    async #sessionBeside(shown) {
        const selected = this.selected;
        if (selected === null || shown.has(selected)) return null;
        return (await call(`sessions?${recordQuery({ session: selected })}`)).sessions[0] ?? null;
    }

    async #import() {
        const { t } = this.context;
        const chosen = this.#file.files?.[0];
        if (!chosen) return;
        this.#status.textContent = t("sessions.importing");
        try {
            const { stored, duplicates, unread } = await call("import", { text: await chosen.text() });
            const names = Object.entries(unread ?? {}).map(([name, count]) => `${name} (${count})`).join(", ");
            this.#status.textContent = [
                t("sessions.imported", { n: Number(stored), duplicates: Number(duplicates) }),
                names ? t("sessions.unread", { names }) : "",
            ].filter(Boolean).join("; ");
        } catch (error) {
            this.#status.textContent = messageOf(error);
        }
        this.#file.value = "";
        this.#load(false);
    }

    /** A name stays in this browser.
     * @param {SessionSummary} session */
    #nameOf({ session }) { return this.context.storage.get(nameKey(session)); }

    // Drawing.

    /** The sessions that contain every word, in device, version, installation, name, number or day. */
    get #found() {
        const words = folded(this.#query).split(/\s+/).filter((word) => word !== "");
        const listed = this.#sessions ?? [];
        const known = new Set(listed.map(({ session }) => session));
        return [...listed, ...[...this.#named.values()].filter(({ session }) => !known.has(session))]
            .filter((session) => {
            if (this.#matched.has(session.session) || this.#named.has(session.session)) return true;
            const text = folded([session.device, session.version, session.installation, session.session,
                this.#nameOf(session), calendarDay(session.first_time, this.context.language)].join("\n"));
            return words.every((word) => text.includes(word));
        });
    }

    /** @override */
    draw() {
        const { t } = this.context;
        const sessions = this.#sessions;
        const found = this.#found;
        replaceChildren(this.list, this.failure && !sessions ? failureNotice(t, this.failure, () => this.#load(false))
            : sessions?.length === 0 ? notice(t("sessions.empty"), t("sessions.emptyHint"))
            : sessions && found.length === 0 ? notice(t("history.nothing"), t("sessions.nothingHint"),
                this.#unsearched.length > 0
                    ? h("p", null, foreign(t("sessions.privateUnsearched", { columns: this.#unsearched.join(", ") })))
                        : null)
            : found.map((session) => this.#line(session)));
        const chosen = sessions?.find(({ session }) => session === this.selected)
            ?? this.#named.get(this.selected ?? "") ?? (this.#linked?.session === this.selected ? this.#linked
                : undefined);
        if (chosen) this.#detail.show(chosen);
        else if (this.selected !== null) this.#detail.clear(sessions ? t("sessions.gone") : null, true);
        else this.#detail.clear(sessions && sessions.length > 0 ? t("sessions.hint") : null, false);
    }

    /** @param {SessionSummary} session */
    #line(session) {
        const { t, language } = this.context;
        const errors = Number(session.errors);
        const name = this.#nameOf(session);
        const model = session.device ?? session.installation;
        const device = model ? foreign(model) : t("sessions.noDevice");
        const { user, tester } = this.#personOf(session);
        const line = this.entry(session.session,
            h("span", { class: "entrytop" }, h("span", { class: "tag" }, name ? foreign(name) : device),
            session.version ? h("span", { class: "muted" }, foreign(session.version)) : null,
            h("span", { class: "gap" }), h("span", { class: "muted" }, ago(session.last_time, Date.now(), language))),
        h("span", { class: "sessionline muted" },
            h("span", null, shortMoment(session.first_time, Date.now(), language)),
            h("span", null, duration(BigInt(session.last_time) - BigInt(session.first_time), language)),
            h("span", null, t("export.records", { n: Number(session.count) })),
            errors > 0 ? h("span", { class: "failures" }, t("sessions.errors", { n: errors })) : null,
            name ? h("span", null, device) : null,
            tester === null ? null : h("span", { class: "person" }, `${t("run.tester")} `,
                foreign(cut(tester, longestPerson))),
            user === null ? null : h("span", { class: "person" }, `${t("sessions.user")} `,
                foreign(cut(user.name, longestPerson)))));
        line.classList.add("session");
        return line;
    }

    /** @override */
    get ids() { return this.#found.map(({ session }) => session); }

    /** @override */
    get params() {
        const q = this.#search.value.trim();
        return q === "" ? {} : { q };
    }

    search() { enter(this.#search); }
}

/** @param {string} session */
function nameKey(session) { return `session/${session}`; }

/** A session that continues may name its user later.
 * @param {SessionSummary} session */
function personKey({ session, last_time: last }) { return `${session} ${last}`; }
