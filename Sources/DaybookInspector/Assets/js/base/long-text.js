// A text of any length: the first part, and the rest a part at a time, for browsers take seconds to lay out megabytes.

import { foreign, h } from "./dom.js";
import { cut } from "./format.js";

const first = 4_000;
const step = 100_000;

/** The text's element, with a button where there is more of it. Copies and files have the whole without pressing. */
export function longText(t, text, className) {
    if (text.length <= first) return foreign(text, className);
    const field = foreign(cut(text, first), className);
    const button = h("button", { class: "button quiet", type: "button", on: { click: () => show(shown + step) } });
    let shown = first;
    label();
    return [field, button];

    function show(length) {
        shown = length;
        field.textContent = cut(text, shown);
        if (shown < text.length) label();
        else button.remove();
    }

    function label() {
        button.textContent = shown + step < text.length ? t("detail.more", { n: step, all: text.length })
            : t("detail.whole", { n: text.length });
    }
}
