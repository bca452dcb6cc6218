// @ts-check
// Checks a pasted definition with the build's own compiler: writing one needs no toolchain.

import { call, messageOf } from "../base/api.js";
import { lastLine, openDialog } from "../base/dialog.js";
import { h, replaceChildren } from "../base/dom.js";
import { diagnosticList, isSound } from "../parts/diagnostics.js";

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
        // A definition file is named after its heading.
        const name = `${/^#\s+(\S+)/m.exec(markdown)?.[1] ?? "pasted"}.md`;
        try {
            const answer = await call("definitions/check", { body: { name, markdown } });
            if (own === asked) replaceChildren(result, summary(t, answer),
                diagnosticList(t, answer.diagnostics, field));
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
    openDialog("export", t("define.title"), [h("p", { class: "muted" }, t("define.hint")), field, result, lastLine(t)]);
    field.focus();
}

/** @param {Translate} t @param {{ diagnostics: Diagnostic[], definitions: Definitions }} answer */
function summary(t, { diagnostics, definitions: { categories, common } }) {
    const events = categories.flatMap((category) => category.events);
    const columns = [...common, ...[...categories, ...events].flatMap((one) => one.columns)].length;
    return isSound(diagnostics) ? h("p", { class: "sound" }, t("define.sound", { events: events.length, columns }))
        : h("p", { class: "wrong" }, t("define.unsound"));
}
