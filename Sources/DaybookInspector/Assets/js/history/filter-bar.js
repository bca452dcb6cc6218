// What narrows the history: the search field, the level, kinds, and a chip for every other filter, which can be switched
// off, turned around and removed.

import { foreign, h, icon, replaceChildren } from "../base/dom.js";
import { clockTime, kinds, levels } from "../base/format.js";
import { terms, withTerms } from "../model/filter.js";

const typingPause = 200;

/** `apply(change)` puts parameters into the address. */
export function createFilterBar(context, apply) {
    const { t } = context;
    let params = {};

    const search = h("input", {
        class: "field", type: "search", placeholder: t("history.search"), "aria-label": t("history.search"),
        autocomplete: "off", spellcheck: "false", on: { input: () => typed() },
    });
    const level = h("select", { class: "field", "aria-label": t("history.level"),
        on: { change: () => apply({ level: level.value }) } },
    levels.map((name) => h("option", { value: name === "trace" ? "" : name },
        name === "trace" ? t("history.anyLevel") : t("history.levelFrom", { level: t(`level.${name}`) }))));
    const chips = kinds.map((kind) => h("button", {
        class: "chip", type: "button", "data-kind": kind, "aria-pressed": "false",
        on: { click: () => toggleKind(kind) },
    }, icon(kind), t(`kind.${kind}`)));
    const kindChips = h("div", { class: "kinds", role: "group", "aria-label": t("history.kind") }, chips);
    const narrowed = h("div", { class: "narrowed" });

    let typing;
    function typed() {
        clearTimeout(typing);
        // Who has gone on to another screen is not called back.
        typing = setTimeout(() => { if (search.isConnected) apply({ q: search.value.trim() }); }, typingPause);
    }

    function toggleKind(kind) {
        const active = new Set((params.kind ?? "").split(",").filter(Boolean));
        if (!active.delete(kind)) active.add(kind);
        apply({ kind: kinds.filter((name) => active.has(name)).join(",") });
    }

    function draw(next) {
        params = next;
        const text = params.q ?? "";
        if (document.activeElement !== search || search.value.trim() !== text) search.value = text;
        level.value = params.level ?? "";
        const active = (params.kind ?? "").split(",");
        for (const chip of chips) chip.setAttribute("aria-pressed", String(active.includes(chip.dataset.kind)));
        const all = terms(params);
        replaceChildren(narrowed, all.map((term, index) => termChip(term, all, index)), timeChip());
    }

    function termChip(term, all, index) {
        const change = (by) => () => apply(withTerms(params, by === null ? all.filter((_, other) => other !== index)
            : all.map((one, other) => (other === index ? { ...one, ...by } : one))));
        return chip(
            [`${t(`filter.${term.name}`)} `, h("span", { class: "sign" }, term.isNot ? "≠" : "="), " ",
                foreign(term.value)],
            { "data-off": String(term.isOff), "data-not": String(term.isNot) },
            { words: t(term.isOff ? "filter.on" : "filter.off"), press: change({ isOff: !term.isOff }),
                isPressed: !term.isOff },
            { words: t(term.isNot ? "filter.include" : "filter.exclude"), press: change({ isNot: !term.isNot }) },
            change(null));
    }

    function timeChip() {
        if (!params.since && !params.until) return null;
        const end = (name) => (params[name] ? clockTime(params[name]) : "…");
        return chip([`${t("filter.time")} `, h("span", null, `${end("since")} – ${end("until")}`)], {}, null, null,
            () => apply({ since: "", until: "" }));
    }

    function chip(words, properties, toggle, turn, remove) {
        return h("span", { class: "term", ...properties },
            toggle ? h("button", { type: "button", class: "termtext", title: toggle.words,
                "aria-pressed": String(toggle.isPressed), on: { click: toggle.press } }, words)
                : h("span", { class: "termtext" }, words),
            turn ? h("button", { type: "button", class: "termtool", title: turn.words, "aria-label": turn.words,
                on: { click: turn.press } }, "≠") : null,
            h("button", { type: "button", class: "termtool", title: t("history.remove"),
                "aria-label": t("history.remove"), on: { click: remove } }, icon("close")));
    }

    return { search, level, kindChips, narrowed, draw };
}
