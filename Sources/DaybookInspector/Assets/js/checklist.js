// Checklists: what must be seen before a release, ticked as it is seen.

import { call } from "./api.js";
import { foreign, h, icon, replaceChildren } from "./dom.js";
import { ago } from "./format.js";
import { paneTop } from "./pane.js";
import { isDone, progress, recordsOf } from "./progress.js";
import { formatRoute } from "./route.js";

const pause = 1_000;

export function createChecklist(context) {
    const { t, navigate, live, language, storage } = context;
    let checklists = null;
    let failure = null;
    let selected = null;
    let head = -1;

    const list = h("div", { class: "tree-list", tabindex: "0", "data-keys": "list", "aria-label": t("screen.check") });
    const main = h("section", { class: "pane checklists" },
        h("div", { class: "toolbar" }, h("h1", null, t("screen.check"))), list);
    const side = h("aside", { class: "pane checklist", tabindex: "-1", "aria-label": t("screen.check") });
    setInterval(() => { if (main.isConnected && live.head !== head && live.state === "open") load(); }, pause);

    // Ticks of manual items stay in this browser.
    const tickKey = (checklist, scenario, item) => `tick/${checklist.id}/${scenario.id}/${item.id}`;
    const ticks = { has: (...place) => storage.get(tickKey(...place)) === "1" };

    async function load() {
        head = live.head;
        try {
            ({ checklists } = await call("checklists"));
            failure = null;
        } catch (error) {
            failure = error;
            head = -1;
        }
        draw();
    }

    const current = () => checklists?.find((checklist) => checklist.id === selected)
        ?? (context.isStacked() ? undefined : checklists?.[0]);

    function draw() {
        drawList();
        drawSide();
    }

    function drawList() {
        if (failure && !checklists) {
            replaceChildren(list, h("div", { class: "notice" }, h("h2", null, t("error.title")),
                h("p", null, failure.message),
                h("button", { class: "button", type: "button", on: { click: () => load() } }, t("error.retry"))));
        } else if (checklists?.length === 0) {
            replaceChildren(list, h("div", { class: "notice" }, h("h2", null, t("check.empty")),
                h("p", null, t("check.emptyHint")),
                h("pre", { class: "sample" }, "daybook serve --checklists LogChecklists")));
        } else {
            replaceChildren(list, (checklists ?? []).map((checklist) => {
                const { done, all } = progress(checklist, ticks);
                return h("a", {
                    class: "entry tall", href: formatRoute({ screen: "check", path: [checklist.id] }),
                    "aria-current": checklist === current() ? "true" : null,
                }, h("span", { class: "entrytop" }, foreign(checklist.title, "tag"),
                    h("span", { class: "muted" }, t("check.progress", { done, all }))),
                    meter(done, all));
            }));
        }
    }

    function meter(done, all) {
        const bar = h("progress", { class: "meter", max: String(Math.max(1, all)), value: String(done),
            "aria-label": t("check.progress", { done, all }) });
        if (done === all && all > 0) bar.dataset.done = "true";
        return bar;
    }

    function drawSide() {
        const checklist = current();
        side.dataset.empty = String(!checklist);
        main.dataset.selected = String(selected !== null);
        if (!checklist) {
            const words = selected !== null && checklists ? t("check.gone") : t("check.hint");
            replaceChildren(side, checklists?.length > 0 ? h("div", { class: "hint" }, h("p", null, words)) : null);
            return;
        }
        const { done, all } = progress(checklist, ticks);
        const scroll = side.scrollTop;
        const focus = document.activeElement?.closest?.("[data-item]")?.dataset.item;
        replaceChildren(side,
            paneTop(t, t("check.progress", { done, all }), () => go(null)),
            h("div", { class: "content" }, h("h2", null, foreign(checklist.title)), meter(done, all),
                checklist.scenarios.map((scenario) => scenarioSection(checklist, scenario))));
        side.scrollTop = scroll;
        if (focus) side.querySelector(`[data-item="${CSS.escape(focus)}"] input`)?.focus();
    }

    function scenarioSection(checklist, scenario) {
        const share = progress({ ...checklist, scenarios: [scenario] }, ticks);
        return h("section", { class: "section" },
            h("h3", null, foreign(scenario.title), h("span", { class: "muted" }, ` ${t("check.progress", share)}`)),
            h("ul", { class: "items" }, scenario.items.map((item) => itemLine(checklist, scenario, item))));
    }

    function tick(checklist, scenario, item, isTicked) {
        storage.set(tickKey(checklist, scenario, item), isTicked ? "1" : null);
        draw();
    }

    function itemLine(checklist, scenario, item) {
        const done = isDone(checklist, scenario, item, ticks);
        const key = `${scenario.id}/${item.id}`;
        if (item.state === "manual") {
            return h("li", { class: "item", "data-state": done ? "ok" : "waiting", "data-item": key },
                h("label", { class: "itemline" },
                    h("input", {
                        type: "checkbox", checked: done,
                        on: { change: (event) => tick(checklist, scenario, item, event.target.checked) },
                    }),
                    h("span", { class: "itemtext" }, foreign(item.text)),
                    h("span", { class: "state" }, t(done ? "check.ticked" : "check.manual"))));
        }
        const words = done
            ? [t("check.ok"), " · ", t("dict.count", { n: Number(item.count) }),
                item.last_time ? ` · ${ago(item.last_time, Date.now(), language)}` : ""]
            : [t("check.waiting")];
        const content = [
            h("span", { class: "mark", "aria-hidden": "true" }, done ? icon("check") : null),
            h("span", { class: "itemtext" }, foreign(item.text)), h("span", { class: "state" }, words)];
        return h("li", { class: "item", "data-state": item.state, "data-item": key }, done
            ? h("a", { class: "itemline", title: t("check.show"),
                href: formatRoute({ screen: "history", params: recordsOf(item.pattern) }) }, content)
            : h("div", { class: "itemline" }, content));
    }

    function go(id, replace = false) { navigate({ screen: "check", path: id === null ? [] : [id] }, { replace }); }

    return {
        main,
        side,
        show({ path }) {
            selected = path[0] ?? null;
            draw();
            load();
        },
        move(step) {
            if (!checklists?.length) return;
            const index = checklists.indexOf(current());
            go(checklists[Math.min(Math.max(index + step, 0), checklists.length - 1)].id, true);
        },
        open() { side.focus(); },
        close() { if (selected !== null) go(null); },
    };
}
