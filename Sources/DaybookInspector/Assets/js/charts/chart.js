// @ts-check
// A chart of an answer, as wide as its place, read with pointer or keys, and saved as a picture. Show a table of the
// answer beside it: that is its accessible form.

import { saveFile, takesPictures } from "../base/bridge.js";
import { quietButton } from "../base/controls.js";
import { foreign, h, replaceChildren, svg } from "../base/dom.js";
import { numberText } from "../base/format.js";
import { chartData, figures } from "./data.js";
import { drawing, swatch } from "./drawing.js";
import { pngPicture, svgText } from "./save.js";
import { layout, present, reading } from "./shapes.js";

/** @param {PageContext} context @param {AnswerRows} answer
 * @param {ChartSettings} settings of a kind that is drawn */
export function chart(context, answer, settings) {
    return settings.kind === "number" ? numbers(context, answer, settings)
        : new Chart(context, answer, settings).element;
}

/** @param {PageContext} context @param {AnswerRows} answer @param {ChartSettings} settings */
function numbers({ language }, answer, settings) {
    return h("dl", { class: "figures" }, figures(answer, settings).map(({ name, value }) => h("div", null,
        h("dt", { class: "muted" }, foreign(name)),
        h("dd", null, value === null ? "–" : numberText(value, language)))));
}

class Chart {
    /** @type {ChartLayout | null} */
    #layout = null;
    /** The place being read. */
    #place = -1;
    #plot = h("div", { class: "plot" });
    #cursor = svg("path", { class: "cursor" });
    #where = h("span", { class: "where muted" });
    /** @type {HTMLElement[]} */
    #values;
    #told = h("span", { class: "unseen", role: "status" });

    /** @param {PageContext} context @param {AnswerRows} answer
     * @param {ChartSettings} settings */
    constructor({ t, language }, answer, settings) {
        this.t = t;
        this.language = language;
        this.title = settings.title ?? "";
        this.kind = /** @type {"line" | "area" | "bar"} */ (settings.kind);
        this.data = chartData(answer, settings);
        const { x, y, series, hidden } = this.data;
        this.#values = series.map(() => h("strong", { class: "amount" }));
        this.#where.textContent = x.name;
        const kept = [hidden.series > 0 ? t("chart.moreSeries", { n: hidden.series }) : null,
            hidden.places > 0 ? t("chart.morePlaces", { n: hidden.places }) : null].filter((part) => part !== null);
        this.element = h("figure", { class: "chart", "data-kind": this.kind },
            h("div", { class: "reading" }, h("span", { class: "axisname muted" },
                foreign(series.length === 1 ? series[0].name : y)),
                this.#where, h("span", { class: "gap" }), quietButton("SVG", () => this.#save("svg")),
                takesPictures() ? quietButton("PNG", () => this.#save("png")) : null),
            h("div", { class: "plotarea", tabindex: "0", role: "group",
                "aria-label": `${this.title || t("chart.title")}. ${t("chart.keys")}`,
                on: { keydown: (event) => this.#keyed(event), pointermove: (event) => this.#pointed(event),
                    pointerdown: (event) => this.#pointed(event), pointerleave: () => this.#read(-1) } }, this.#plot),
            h("ul", { class: "legend", hidden: series.length < 2 }, series.map(({ name }, index) =>
                h("li", null, swatch(index, this.kind), foreign(name), this.#values[index]))),
            kept.length > 0 ? h("p", { class: "muted" }, kept.join(" ")) : null, this.#told);
        new ResizeObserver(() => this.#draw()).observe(this.#plot);
    }

    /** What a screen reader says of the drawing. */
    get #summary() {
        const { x, series } = this.data;
        const values = series.flatMap(present);
        const [low, high] = [Math.min(...values), Math.max(...values)].map((value) =>
            (values.length > 0 ? numberText(value, this.language) : "–"));
        const parts = [this.title || this.t("chart.title"), this.t("chart.summary", { n: x.labels.length, low, high,
            from: x.labels[0] ?? "–", to: x.labels[x.labels.length - 1] ?? "–" })];
        if (series.length > 1) parts.push(series.map(({ name }) => name).join(", "));
        return parts.join(". ");
    }

    #draw() {
        const width = this.#plot.clientWidth;
        if (width === 0 || this.data.x.labels.length === 0 || width === this.#layout?.width) return;
        const height = width < 480 ? 220 : 280;
        this.#layout = layout(this.data, this.kind, { width, height, language: this.language });
        const picture = drawing(this.#layout, this.#summary);
        picture.append(this.#cursor);
        replaceChildren(this.#plot, picture);
        this.#read(this.#place);
    }

    /** Shows the values at a place, or none for -1.
     * @param {number} place */
    #read(place) {
        this.#place = place;
        const found = this.#layout?.places[place];
        const one = this.data.series.length === 1 ? this.data.series[0].values[place] : null;
        this.#where.textContent = place < 0 ? this.data.x.name : this.data.x.labels[place]
            + (one === null || one === undefined ? "" : `: ${numberText(one, this.language)}`);
        this.#values.forEach((element, index) => {
            const value = this.data.series[index].values[place];
            element.textContent = value === null || value === undefined ? "" : numberText(value, this.language);
        });
        const { top = 0, bottom = 0, left = 0, right = 0, isUpright = true } = this.#layout ?? {};
        this.#cursor.setAttribute("d", !found ? "" : isUpright ? `M${found.x} ${top}V${bottom}`
            : `M${left} ${found.y}H${right}`);
    }

    /** @param {PointerEvent} event */
    #pointed(event) {
        const shown = this.#layout;
        if (!shown) return;
        const box = this.#plot.getBoundingClientRect();
        const distance = (/** @type {{ x: number, y: number }} */ { x, y }) =>
            Math.abs(shown.isUpright ? x - (event.clientX - box.left) : y - (event.clientY - box.top));
        let nearest = -1;
        shown.places.forEach((place, index) => {
            if (nearest < 0 || distance(place) < distance(shown.places[nearest])) nearest = index;
        });
        if (nearest !== this.#place) this.#read(nearest);
    }

    /** Arrows move from place to place and announce the values.
     * @param {KeyboardEvent} event */
    #keyed(event) {
        const last = this.data.x.labels.length - 1;
        if (event.ctrlKey || event.metaKey || event.altKey || last < 0) return;
        const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key] ?? 0;
        const next = this.#place < 0 && step < 0 ? last : this.#place + step;
        if (step !== 0) this.#read(Math.min(last, Math.max(0, next)));
        else if (event.key === "Home") this.#read(0);
        else if (event.key === "End") this.#read(last);
        else if (event.key === "Escape" && this.#place >= 0) this.#read(-1);
        else return;
        this.#told.textContent = this.#place < 0 ? "" : reading(this.data, this.#place, this.language);
        event.preventDefault();
        event.stopPropagation();
    }

    /** Saves the picture with its legend.
     * @param {"svg" | "png"} end */
    async #save(end) {
        if (!this.#layout) return;
        const names = this.data.series.map(({ name }) => name);
        const picture = drawing(this.#layout, this.#summary, names.length > 1 ? names : []);
        // It needs the page's style; out of sight it shifts nothing.
        const stage = h("div", { class: "unseen", "aria-hidden": "true" }, picture);
        this.element.append(stage);
        try {
            const title = this.title.replaceAll(/[^\p{L}\p{N}_-]+/gu, "-").replaceAll(/^-|-$/g, "");
            const name = `${title || "chart"}.${end}`;
            const content = end === "svg" ? svgText(picture) : await pngPicture(picture);
            if (content !== null) saveFile(name, end === "svg" ? "image/svg+xml" : "image/png", content);
        } finally {
            stage.remove();
        }
    }
}
