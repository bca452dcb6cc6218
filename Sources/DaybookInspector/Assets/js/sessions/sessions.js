// Sessions: whose visits there are, with names of one's own, and records taken in from a file.

import { call, recordQuery } from "../base/api.js";
import { foreign, h, replaceChildren } from "../base/dom.js";
import { ago, duration, shortMoment } from "../base/format.js";
import { revealCurrent, scrollToEdge } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { createSessionDetail } from "./session-detail.js";

const pageSize = 50;
const mostShown = 1_000;
const pause = 3_000;

export function createSessions(context) {
    const { t, navigate, live, language, storage } = context;
    let sessions = null;
    let failure = null;
    let selected = null;
    let head = -1;
    let hasMore = false;

    const list = h("div", { class: "tree-list", tabindex: "0", "data-keys": "list", "aria-label": t("screen.sessions") });
    const older = h("button", { class: "button quiet", type: "button", hidden: true, on: { click: () => load(true) } },
        t("net.older"));
    const file = h("input", { type: "file", accept: ".ndjson,.jsonl,application/x-ndjson", class: "unseen",
        tabindex: "-1", "aria-label": t("sessions.import"), on: { change: () => take() } });
    const status = h("span", { class: "muted", role: "status" });
    const main = h("section", { class: "pane sessions" },
        h("div", { class: "toolbar" }, h("h1", null, t("screen.sessions")), h("span", { class: "gap" }), status,
            h("button", { class: "button", type: "button", on: { click: () => file.click() } }, t("sessions.import")), file),
        list, older);
    // A name stays in this browser.
    const names = {
        get: ({ session }) => storage.get(`session/${session}`),
        set({ session }, name) {
            storage.set(`session/${session}`, name === "" ? null : name);
            draw();
        },
    };
    const detail = createSessionDetail(context, { names, close: () => go(null), removed(error) {
        status.textContent = error?.message ?? "";
        if (!error) go(null);
        load(false);
    } });
    setInterval(() => { if (main.isConnected && live.head !== head && live.state === "open") load(false); }, pause);

    async function load(isMore) {
        head = live.head;
        const limit = Math.min(isMore ? pageSize : Math.max(pageSize, sessions?.length ?? 0), mostShown);
        try {
            const before = isMore ? sessions.at(-1).last_time : "";
            const answer = (await call(`sessions?${recordQuery({ limit, before })}`)).sessions;
            hasMore = answer.length === limit && limit < mostShown;
            sessions = isMore ? [...sessions, ...answer] : answer;
            failure = null;
        } catch (error) {
            failure = error;
        }
        draw();
    }

    async function take() {
        const [chosen] = file.files;
        if (!chosen) return;
        status.textContent = t("sessions.importing");
        try {
            const { stored, duplicates } = await call("import", { text: await chosen.text() });
            status.textContent = t("sessions.imported", { n: Number(stored), duplicates: Number(duplicates) });
        } catch (error) {
            status.textContent = error.message;
        }
        file.value = "";
        load(false);
    }

    function draw() {
        older.hidden = !hasMore;
        if (failure && !sessions) {
            replaceChildren(list, h("div", { class: "notice" }, h("h2", null, t("error.title")), h("p", null, failure.message),
                h("button", { class: "button", type: "button", on: { click: () => load(false) } }, t("error.retry"))));
        } else if (sessions?.length === 0) {
            replaceChildren(list, h("div", { class: "notice" }, h("h2", null, t("sessions.empty")),
                h("p", null, t("sessions.emptyHint"))));
        } else replaceChildren(list, (sessions ?? []).map(line));
        const session = sessions?.find((one) => one.session === selected);
        main.dataset.selected = String(selected !== null);
        if (session) detail.show(session);
        else if (selected !== null) detail.clear(sessions ? t("sessions.gone") : null, true);
        else detail.clear(sessions?.length > 0 ? t("sessions.hint") : null, false);
    }

    function line(session) {
        const errors = Number(session.errors);
        const name = names.get(session);
        const model = session.device ?? session.installation;
        const device = model ? foreign(model) : t("sessions.noDevice");
        return h("a", {
            class: "entry tall session", href: formatRoute({ screen: "sessions", path: [session.session] }),
            "aria-current": session.session === selected ? "true" : null,
        },
        h("span", { class: "entrytop" }, h("span", { class: "tag" }, name ? foreign(name) : device),
            session.version ? h("span", { class: "muted" }, foreign(session.version)) : null, h("span", { class: "gap" }),
            h("span", { class: "muted" }, ago(session.last_time, Date.now(), language))),
        h("span", { class: "sessionline muted" },
            h("span", null, shortMoment(session.first_time, Date.now(), language)),
            h("span", null, duration(BigInt(session.last_time) - BigInt(session.first_time), language)),
            h("span", null, t("export.records", { n: Number(session.count) })),
            errors > 0 ? h("span", { class: "failures" }, t("sessions.errors", { n: errors })) : null,
            name ? h("span", null, device) : null));
    }

    function go(id, replace = false) { navigate({ screen: "sessions", path: id === null ? [] : [id] }, { replace }); }

    return {
        main,
        side: detail.element,
        show({ path }) {
            selected = path[0] ?? null;
            draw();
            load(false);
        },
        move(step) {
            if (!sessions?.length) return;
            const index = sessions.findIndex(({ session }) => session === selected);
            go(sessions[index < 0 ? 0 : Math.min(Math.max(index + step, 0), sessions.length - 1)].session, true);
            revealCurrent(list);
        },
        edge(isLast) { scrollToEdge(list, isLast); },
        open() { if (selected === null) this.move(0); else detail.element.focus(); },
        close() { if (selected !== null) go(null); },
    };
}
