// What the filtered records are made of: names, sessions, versions and modules with their counts; one press narrows.

import { call, recordQuery } from "../base/api.js";
import { foreign, h, replaceChildren } from "../base/dom.js";
import { cut, levelName } from "../base/format.js";
import { fold } from "../base/pane.js";
import { adding } from "../model/filter.js";
import { createLosses } from "./losses.js";
import { createViolationGroups } from "./violation-groups.js";

const fields = ["tag", "level", "version", "session", "module", "installation"];
const shownAtFirst = 8;
const pause = 3_000;
const mostSteps = 50;

/** `params()` → the address's parameters; `apply(change)` puts others there. */
export function createFacets(context, params, apply) {
    const { t, live } = context;
    let filter = null;
    let drawnHead = -1;
    let request = null;
    const whole = new Set();
    const shut = new Set(["installation"]);
    const content = h("div", { class: "content facets" });
    const status = h("p", { class: "muted", role: "status" });
    const groups = createViolationGroups(context, params, apply);
    const losses = createLosses(context);
    const element = h("div", { class: "facetpane" }, h("header", { class: "panetop" },
        h("span", { class: "panetitle" }, t("facets.title"))), losses.element, groups.element, status, content);
    setInterval(() => { if (element.isConnected && live.head !== drawnHead && !document.hidden) load(); }, pause);

    async function load() {
        request?.abort();
        const own = new AbortController();
        request = own;
        if (drawnHead < 0) losses.load();
        drawnHead = live.head;
        const sums = new Map(fields.map((field) => [field, new Map()]));
        let before = "";
        for (let step = 0; step < mostSteps; step += 1) {
            let answer;
            try {
                answer = await call(`facets?${recordQuery({ ...filter, fields: fields.join(","), before })}`,
                    { signal: own.signal });
            } catch {
                return;
            }
            for (const [field, values] of Object.entries(answer.values)) {
                for (const { value, count } of values) {
                    sums.get(field).set(value, (sums.get(field).get(value) ?? 0) + Number(count));
                }
            }
            draw(sums);
            status.textContent = answer.next === null ? "" : t("facets.counting", {
                done: Number(answer.progress.done), all: Number(answer.progress.total) });
            if (answer.next === null) return;
            before = String(answer.next);
        }
    }

    function draw(sums) {
        replaceChildren(content, fields.map((field) => facet(field,
            [...sums.get(field)].filter(([value]) => value !== "").sort(([, left], [, right]) => right - left))));
    }

    function facet(field, values) {
        if (values.length === 0) return null;
        const most = values[0][1];
        const isWhole = whole.has(field);
        const list = h("ul", { class: "facet" }, values.slice(0, isWhole ? values.length : shownAtFirst)
            .map(([value, count]) => line(field, value, count, most)));
        const rest = values.length - shownAtFirst;
        if (rest > 0 && !isWhole) list.append(h("li", null, h("button", { class: "button quiet", type: "button",
            on: { click: () => {
                whole.add(field);
                load();
            } } }, t("json.more", { n: rest }))));
        const details = fold(h("span", { class: "heading" }, t(field === "level" ? "history.level" : `filter.${field}`)), list,
            !shut.has(field));
        details.addEventListener("toggle", () => { if (details.open) shut.delete(field); else shut.add(field); });
        return details;
    }

    function line(field, value, count, most) {
        const share = h("span", { class: "share" });
        share.style.setProperty("width", `${count / most * 100}%`);
        const isLevel = field === "level";
        const words = isLevel ? t(`level.${levelName(Number(value))}`) : foreign(cut(value, 120));
        const number = new Intl.NumberFormat(context.language).format(count);
        const narrow = () => apply(isLevel ? { level: levelName(Number(value)) } : adding(params(), field, value));
        return h("li", { class: "facetline" },
            h("button", { class: "facetvalue", type: "button", title: value, on: { click: narrow } }, share,
                h("span", { class: "facettext" }, words), h("span", { class: "number" }, number)),
            isLevel ? h("span", { class: "termtool" }) : h("button", { class: "termtool", type: "button", title: t("filter.exclude"),
                "aria-label": `${t("filter.exclude")} ${value}`,
                on: { click: () => apply(adding(params(), field, value, true)) } }, "≠"));
    }

    return {
        element,
        show(next) {
            groups.show(next, Boolean(params().violations));
            if (JSON.stringify(next) === JSON.stringify(filter)) return;
            filter = next;
            load();
        },
    };
}
