// A definition pasted into the page, checked by the same compiler as the build's: no toolchain is needed to write one.

import { call } from "../base/api.js";
import { codeSpans, h, replaceChildren } from "../base/dom.js";

const pause = 300;

export function openDefinitionCheck({ t }) {
    let timer;
    let asked = 0;
    const field = h("textarea", { class: "field editor", rows: "12", spellcheck: "false", autocapitalize: "off",
        "aria-label": t("define.text"), placeholder: "# feed\n\n## show_article\n\n- article_id: !bigint\n    - …",
        on: { input: () => {
            clearTimeout(timer);
            timer = setTimeout(check, pause);
        } } });
    const result = h("div", { class: "findings", role: "status" });
    const dialog = h("dialog", { class: "help export", "aria-label": t("define.title"), on: {
        click: (event) => { if (event.target === dialog) dialog.close(); }, close: () => dialog.remove(),
    } }, h("h2", null, t("define.title")), h("p", { class: "muted" }, t("define.hint")), field, result,
    h("div", { class: "line" }, h("span", { class: "gap" }),
        h("button", { class: "button", type: "button", on: { click: () => dialog.close() } }, t("detail.close"))));
    document.body.append(dialog);
    dialog.showModal();
    field.focus();

    async function check() {
        const markdown = field.value;
        const own = asked += 1;
        if (markdown.trim() === "") return replaceChildren(result);
        // The file is named after its heading, as it would be in the folder.
        const name = `${/^#\s+(\S+)/m.exec(markdown)?.[1] ?? "pasted"}.md`;
        try {
            const { diagnostics, definitions } = await call("definitions/check", { body: { name, markdown } });
            if (own === asked) draw(diagnostics, definitions);
        } catch (error) {
            if (own === asked) replaceChildren(result, h("p", { class: "wrong" }, error.message));
        }
    }

    function draw(diagnostics, { categories, common }) {
        const events = categories.flatMap((category) => category.events);
        const columns = [...common, ...categories.flatMap((category) => category.columns),
            ...events.flatMap((event) => event.columns)].length;
        const isSound = diagnostics.every(({ severity }) => severity !== "error");
        replaceChildren(result,
            h("p", { class: isSound ? "sound" : "wrong" }, isSound
                ? t("define.sound", { events: events.length, columns }) : t("define.unsound")),
            h("ul", null, diagnostics.map(({ severity, line, column, message, hint }) =>
                h("li", null, h("button", { class: "button quiet", type: "button", on: { click: () => go(line, column) } },
                    `${line}:${column}`), " ", h("strong", { "data-severity": severity }, t(`level.${severity}`)), " ",
                codeSpans(message), hint ? h("span", { class: "muted" }, " ", codeSpans(hint)) : null))));
    }

    /** Puts the cursor at a place. Columns count whole characters. */
    function go(line, column) {
        const lines = field.value.split("\n");
        const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
        const place = before + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
        field.focus();
        field.setSelectionRange(place, place);
    }
}
