// @ts-check
// A definition pasted into the page, checked by the same compiler as the build's: no toolchain is needed to write one.

import { call, messageOf } from "../base/api.js";
import { codeSpans, h, replaceChildren } from "../base/dom.js";
import { closeButton, openDialog } from "../base/pane.js";

const pause = 300;

/** @param {PageContext} context */
export function openDefinitionCheck({ t }) {
    /** @type {number | undefined} */
    let timer;
    let asked = 0;
    const result = h("div", { class: "findings", role: "status" });
    const check = async () => {
        const markdown = field.value;
        const own = asked += 1;
        if (markdown.trim() === "") return replaceChildren(result);
        // The file is named after its heading, as it would be in the folder.
        const name = `${/^#\s+(\S+)/m.exec(markdown)?.[1] ?? "pasted"}.md`;
        try {
            const answer = await call("definitions/check", { body: { name, markdown } });
            if (own === asked) replaceChildren(result, summary(t, answer),
                h("ul", null, answer.diagnostics.map((diagnostic) => finding(t, diagnostic, field))));
        } catch (error) {
            if (own === asked) replaceChildren(result, h("p", { class: "wrong" }, messageOf(error)));
        }
    };
    const field = h("textarea", { class: "field editor", rows: "12", spellcheck: "false", autocapitalize: "off",
        "aria-label": t("define.text"), placeholder: "# feed\n\n## show_article\n\n- article_id: !bigint\n    - …",
        on: { input() {
            clearTimeout(timer);
            timer = setTimeout(check, pause);
        } } });
    openDialog("export", t("define.title"), [h("p", { class: "muted" }, t("define.hint")), field, result,
        h("div", { class: "line" }, h("span", { class: "gap" }), closeButton(t))]);
    field.focus();
}

/**
 * @param {Translate} t
 * @param {{ diagnostics: Diagnostic[], definitions: Definitions }} answer
 */
function summary(t, { diagnostics, definitions: { categories, common } }) {
    const events = categories.flatMap((category) => category.events);
    const columns = [...common, ...[...categories, ...events].flatMap((one) => one.columns)].length;
    const isSound = diagnostics.every(({ severity }) => severity !== "error");
    return h("p", { class: isSound ? "sound" : "wrong" }, isSound
        ? t("define.sound", { events: events.length, columns }) : t("define.unsound"));
}

/**
 * One thing that is wrong; its place puts the cursor there.
 * @param {Translate} t
 * @param {Diagnostic} diagnostic
 * @param {HTMLTextAreaElement} field
 */
export function finding(t, { severity, line, column, message, hint }, field) {
    return h("li", null, h("button", { class: "button quiet", type: "button", on: { click: () => go(field, line, column) } },
        `${line}:${column}`), " ", h("strong", { "data-severity": severity }, t(`level.${severity}`)), " ",
    codeSpans(message), hint ? h("span", { class: "muted" }, " ", codeSpans(hint)) : null);
}

/**
 * Puts the cursor at a place. Columns count whole characters.
 * @param {HTMLTextAreaElement} field
 * @param {number} line
 * @param {number} column
 */
function go(field, line, column) {
    const lines = field.value.split("\n");
    const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    const place = before + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
    field.focus();
    field.setSelectionRange(place, place);
}
