// @ts-check
// Sessions: whose visits there are, with names of one's own, and records taken in from a file.

import { AnswerOrder } from "../base/answer-order.js";
import { call, messageOf, recordQuery } from "../base/api.js";
import { foreign, h, icon, replaceChildren } from "../base/dom.js";
import { ago, calendarDay, cut, duration, folded, shortMoment } from "../base/format.js";
import { failureNotice, notice, revealCurrent, scrollToEdge, textButton } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { searchPeople, testerOf, usersOf } from "./people.js";
import { SessionDetail } from "./session-detail.js";

const pageSize = 50;
const mostShown = 1_000;
const pause = 3_000;
const typingPause = 200;
const longestPerson = 40;
const lookPause = 30_000;

/** @implements {PageScreen} */
export class Sessions {
    /**
     * The latest first; null until an answer has come.
     * @type {SessionSummary[] | null}
     */
    #sessions = null;
    /** @type {Error | null} */
    #failure = null;
    /**
     * The id in the address.
     * @type {string | null}
     */
    #selected = null;
    /** What the sessions are searched for. */
    #query = "";
    /**
     * Those of the whole store that the search finds; own names and days the page looks through itself.
     * @type {Set<string>}
     */
    #matched = new Set();
    /**
     * Those that the search names by their people, as far as they were found.
     * @type {Map<string, SessionSummary>}
     */
    #named = new Map();
    /**
     * The users of sessions, by the session's id and last time; null where none is named.
     * @type {Map<string, import("./people.js").User | null>}
     */
    #users = new Map();
    /**
     * The latest first: who tested when.
     * @type {StoredRun[]}
     */
    #runs = [];
    /**
     * The look for people that goes on, or was the last.
     * @type {object | null}
     */
    #look = null;
    /**
     * The columns of users that the last search passed over, because they are private.
     * @type {string[]}
     */
    #unsearched = [];
    /** What was searched for among people, and when, by `performance.now()`. */
    #looked = { search: "", at: 0 };
    /** @type {number | undefined} */
    #typing;
    /**
     * Where the sessions behind those that are listed begin; null at the end.
     * @type {string | null}
     */
    #next = null;
    #order = new AnswerOrder();
    /** Up to which number the sessions were asked for. */
    #askedHead = -1;
    #list;
    #older;
    #file;
    #search;
    #status = h("span", { class: "muted", role: "status" });
    #detail;

    /** @param {PageContext} context */
    constructor(context) {
        const { t, live } = context;
        this.context = context;
        this.#list = h("div", { class: "tree-list", tabindex: "0", "data-keys": "list",
            "aria-label": t("screen.sessions") });
        this.#older = h("button", { class: "button quiet", type: "button", hidden: true,
            on: { click: () => this.#load(true) } }, t("net.older"));
        this.#file = h("input", { type: "file", accept: ".ndjson,.jsonl,application/x-ndjson", class: "unseen",
            tabindex: "-1", "aria-label": t("sessions.import"), on: { change: () => { this.#import(); } } });
        this.#search = h("input", { class: "field", type: "search", placeholder: t("sessions.search"),
            "aria-label": t("sessions.search"), autocomplete: "off", spellcheck: "false", on: { input: () => {
                clearTimeout(this.#typing);
                this.#typing = setTimeout(() => { if (this.#search.isConnected) this.#go(null, true); }, typingPause);
            } } });
        this.main = h("section", { class: "pane sessions" },
            h("div", { class: "toolbar" }, h("h1", null, t("screen.sessions")), h("span", { class: "gap" }), this.#status,
                textButton(t("sessions.import"), () => this.#file.click()), this.#file,
                h("div", { class: "searchbox" }, icon("search"), this.#search)),
            this.#list, this.#older);
        this.#detail = new SessionDetail(context, {
            personOf: (session) => this.#personOf(session),
            nameOf: (session) => this.#nameOf(session),
            rename: (session, name) => this.#rename(session, name),
            close: () => this.#go(null),
            removed: (failure) => this.#removed(failure),
        });
        this.side = this.#detail.element;
        setInterval(() => {
            const isBehind = live.head !== this.#askedHead && !this.#order.isWaiting;
            if (this.main.isConnected && isBehind && live.state === "open") this.#load(false);
        }, pause);
    }

    /**
     * The chosen session, where it is not in the list.
     * @type {SessionSummary | null}
     */
    #linked = null;

    /** @param {Route} route */
    show({ path, params }) {
        const before = JSON.stringify([this.#selected, this.#query]);
        this.#selected = path[0] ?? null;
        this.#query = params.q ?? "";
        const isOther = before !== JSON.stringify([this.#selected, this.#query]);
        if (JSON.parse(before)[1] !== this.#query) this.#named.clear();
        if (document.activeElement !== this.#search) this.#search.value = this.#query;
        this.#draw();
        this.#load(false, isOther ? this.#order.askAnew() : this.#order.ask());
    }

    /**
     * @param {boolean} isMore whether older ones are asked for, and not all that are shown anew
     * @param {() => boolean} isNews
     */
    async #load(isMore, isNews = this.#order.ask()) {
        this.#askedHead = this.context.live.head;
        const known = this.#sessions ?? [];
        // A search looks through all that the page can show.
        const limit = Math.min(isMore ? pageSize : Math.max(this.#query ? mostShown : pageSize, known.length), mostShown);
        try {
            const before = isMore ? this.#next : null;
            const { sessions, next } = await call(`sessions?${recordQuery({ limit, before })}`);
            const listed = isMore ? [...known, ...sessions] : sessions;
            const search = this.#query.trim();
            const matched = search ? (await call(`sessions?${recordQuery({ limit: mostShown, search })}`)).sessions : [];
            const shown = new Set([...listed, ...matched].map(({ session }) => session));
            const linked = await this.#sessionBeside(shown);
            const { runs } = await call("runs");
            if (!isNews()) return;
            [this.#runs, this.#next] = [runs, next];
            this.#older.hidden = next === null || limit >= mostShown;
            this.#linked = linked;
            this.#matched = new Set(matched.map(({ session }) => session));
            const own = new Set(listed.map(({ session }) => session));
            this.#sessions = [...listed, ...matched.filter(({ session }) => !own.has(session))];
            this.#failure = null;
        } catch (error) {
            if (!isNews()) return;
            this.#failure = error instanceof Error ? error : new Error(messageOf(error));
        }
        this.#draw();
        if (this.#failure === null) this.#lookForPeople();
    }

    // The people behind them.

    /** Looks for those whom the search names, and for the names of those that are listed; the list is there meanwhile. */
    async #lookForPeople() {
        const own = this.#look = {};
        const goesOn = () => own === this.#look && this.main.isConnected;
        const search = this.#query.trim();
        try {
            // The whole store is not asked again with each record that comes.
            const isKnown = search === this.#looked.search && performance.now() - this.#looked.at < lookPause;
            if (!isKnown) this.#unsearched = await searchPeople(search, this.#runs, { goesOn, found: (sessions) => this.#add(sessions, search),
                progress: (progress) => { this.#status.textContent = progress === null ? "" : this.context.t("history.searching",
                    { done: Number(progress.done), all: Number(progress.total) }); } });
            if (!isKnown && goesOn()) this.#looked = { search, at: performance.now() };
            const unknown = this.#found.filter((session) => !this.#users.has(personKey(session))).slice(0, pageSize);
            await usersOf(unknown, (session, user) => { this.#users.set(personKey(session), user); }, goesOn);
        } catch {
            // What cannot be had now is asked for with the next records.
        }
        if (goesOn()) this.#draw();
    }

    /**
     * @param {SessionSummary[]} sessions
     * @param {string} search
     */
    #add(sessions, search) {
        const news = sessions.filter(({ session }) => !this.#named.has(session));
        if (search !== this.#query.trim() || news.length === 0) return;
        for (const session of news) this.#named.set(session.session, session);
        this.#draw();
    }

    /**
     * @param {SessionSummary} session
     * @returns {import("./session-detail.js").SessionPerson}
     */
    #personOf(session) {
        return { user: this.#users.get(personKey(session)) ?? null, tester: testerOf(session, this.#runs) };
    }

    /**
     * The chosen session, where a link led to one that is not in the list.
     * @param {Set<string>} shown the ids of the list
     */
    async #sessionBeside(shown) {
        const selected = this.#selected;
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

    /** @param {unknown} failure */
    #removed(failure) {
        this.#status.textContent = failure === null ? "" : messageOf(failure);
        if (failure === null) this.#go(null);
        this.#load(false);
    }

    // A name stays in this browser.

    /** @param {SessionSummary} session */
    #nameOf({ session }) { return this.context.storage.get(`session/${session}`); }

    /**
     * @param {SessionSummary} session
     * @param {string} name
     */
    #rename({ session }, name) {
        this.context.storage.set(`session/${session}`, name === "" ? null : name);
        this.#draw();
    }

    // Drawing.

    /** The sessions that have every word of the search: in device, version, installation, name, number or day. */
    get #found() {
        const words = folded(this.#query).split(/\s+/).filter((word) => word !== "");
        const listed = this.#sessions ?? [];
        const known = new Set(listed.map(({ session }) => session));
        return [...listed, ...[...this.#named.values()].filter(({ session }) => !known.has(session))].filter((session) => {
            if (this.#matched.has(session.session) || this.#named.has(session.session)) return true;
            const text = folded([session.device, session.version, session.installation, session.session,
                this.#nameOf(session), calendarDay(session.first_time, this.context.language)].join("\n"));
            return words.every((word) => text.includes(word));
        });
    }

    #draw() {
        const { t } = this.context;
        const sessions = this.#sessions;
        const found = this.#found;
        replaceChildren(this.#list, this.#failure && !sessions ? failureNotice(t, this.#failure, () => this.#load(false))
            : sessions?.length === 0 ? notice(t("sessions.empty"), t("sessions.emptyHint"))
            : sessions && found.length === 0 ? notice(t("history.nothing"), t("sessions.nothingHint"),
                this.#unsearched.length > 0
                    ? h("p", null, foreign(t("sessions.privateUnsearched", { columns: this.#unsearched.join(", ") }))) : null)
            : found.map((session) => this.#line(session)));
        const chosen = sessions?.find(({ session }) => session === this.#selected)
            ?? this.#named.get(this.#selected ?? "") ?? (this.#linked?.session === this.#selected ? this.#linked : undefined);
        this.main.dataset.selected = String(this.#selected !== null);
        if (chosen) this.#detail.show(chosen);
        else if (this.#selected !== null) this.#detail.clear(sessions ? t("sessions.gone") : null, true);
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
        return h("a", {
            class: "entry tall session", href: formatRoute({ screen: "sessions", path: [session.session], params: this.#params }),
            "aria-current": session.session === this.#selected ? "true" : null,
        },
        h("span", { class: "entrytop" }, h("span", { class: "tag" }, name ? foreign(name) : device),
            session.version ? h("span", { class: "muted" }, foreign(session.version)) : null, h("span", { class: "gap" }),
            h("span", { class: "muted" }, ago(session.last_time, Date.now(), language))),
        h("span", { class: "sessionline muted" },
            h("span", null, shortMoment(session.first_time, Date.now(), language)),
            h("span", null, duration(BigInt(session.last_time) - BigInt(session.first_time), language)),
            h("span", null, t("export.records", { n: Number(session.count) })),
            errors > 0 ? h("span", { class: "failures" }, t("sessions.errors", { n: errors })) : null,
            name ? h("span", null, device) : null,
            tester === null ? null : h("span", { class: "person" }, `${t("run.tester")} `, foreign(cut(tester, longestPerson))),
            user === null ? null : h("span", { class: "person" }, `${t("sessions.user")} `,
                foreign(cut(user.name, longestPerson)))));
    }

    // Keys.

    /** @returns {Params} */
    get #params() {
        const q = this.#search.value.trim();
        return q === "" ? {} : { q };
    }

    /** @param {string | null} id */
    #go(id, replace = false) {
        this.context.navigate({ screen: "sessions", path: id === null ? [] : [id], params: this.#params }, { replace });
    }

    search() {
        this.#search.focus();
        this.#search.select();
    }

    /** @param {number} step */
    move(step) {
        const sessions = this.#found;
        if (sessions.length === 0) return;
        const index = sessions.findIndex(({ session }) => session === this.#selected);
        this.#go(sessions[index < 0 ? 0 : Math.min(Math.max(index + step, 0), sessions.length - 1)].session, true);
        revealCurrent(this.#list);
    }

    /** @param {boolean} isLast */
    edge(isLast) { scrollToEdge(this.#list, isLast); }

    open() {
        if (this.#selected === null) this.move(0);
        else this.#detail.element.focus();
    }

    close() { if (this.#selected !== null) this.#go(null); }
}

/**
 * A session that has gone on may name its user by now.
 * @param {SessionSummary} session
 */
function personKey({ session, last_time: last }) { return `${session} ${last}`; }
