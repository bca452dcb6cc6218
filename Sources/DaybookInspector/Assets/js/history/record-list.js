// @ts-check
// The history's list: the loaded records, the rows in view, and the notice if there are none.

import { call, recordQuery, wholePage } from "../base/api.js";
import { textButton } from "../base/controls.js";
import { h, replaceChildren } from "../base/dom.js";
import { ListView } from "../base/list-view.js";
import { noticeContent } from "../base/pane.js";
import { written } from "../model/filter.js";
import { privateMark } from "../model/redaction.js";
import { Columns } from "./columns.js";
import { byArrival, byTime, RecordWindow } from "./record-window.js";
import { Row, TimeMode } from "./row.js";
import { canBeAsked } from "./value-menu.js";

const furthestPrevious = 60;
/** Rows to keep visible beyond one that was scrolled to. */
const margin = 3;

export class RecordList {
    /** The values of loaded records for a name, in filter syntax; for "" the names themselves.
     * @param {string} name @param {string[]} known names that have a meaning of their own */
    seen(name, known) {
        const found = new Set();
        for (const record of this.window.rows) {
            const own = /** @type {Record<string, unknown>} */ ({ tag: record.tag, session: record.session,
                installation: record.installation, module: record.module, file: record.file });
            const members = [record.attributes, record.context].flatMap((one) =>
                (typeof one === "object" && one !== null ? [/** @type {Record<string, unknown>} */ (one)] : []));
            if (name === "") for (const one of members) Object.keys(one).forEach((key) => found.add(key));
            else for (const one of known.includes(name) ? [own] : members) {
                const value = one[name];
                if (canBeAsked(value) && value !== privateMark) found.add(written(value));
            }
        }
        return found;
    }

    progress = h("span", { class: "muted total", role: "status" });
    #notice = h("div", { class: "notice", hidden: true });

    /** @param {PageContext} context @param {HistoryState} state @param {ListOwner} owner */
    constructor(context, state, owner) {
        const { t } = context;
        this.context = context;
        this.state = state;
        this.owner = owner;
        /** @type {RecordWindow} */
        this.window = new RecordWindow((query, onPart) => wholePage((part) =>
            call(`records?${recordQuery({ ...state.filter, ...part })}`), query, onPart),
        (shift) => this.view.changed(shift), owner.idle,
        (id) => call(`records/${id}`).then(({ record }) => record, () => null));
        this.timeMode = new TimeMode(context, () => this.view.draw());
        /** @type {ListView<Row>} */
        this.view = new ListView({
            label: t("screen.history"),
            createRow: () => new Row(context, owner.pick),
            fill: (row, position, y) => this.#fill(row, position, y),
            total: () => this.window.total,
            drawn: (first, last) => {
                this.timeMode.drawHeading(this.window.at(this.view.first));
                this.#drawNotice();
                this.columns.drawn();
                this.window.ensure(first, last);
            },
            scrolled: owner.scrolled,
        });
        // The headings are outside the grid, so that they do not scroll; each cell speaks for itself.
        const heading = (/** @type {string} */ name, /** @type {string} */ words) =>
            h("span", { class: `cell ${name}`, "aria-hidden": "true" }, words);
        this.columns = new Columns(context, this.view.element, () => owner.element());
        this.headings = h("div", { class: "headings" }, this.timeMode.button, heading("kind", t("history.kind")),
            heading("name", t("history.name")), heading("parameters", t("history.parameters")),
            this.columns.grip("time", t("history.time")), this.columns.grip("kind", t("history.kind")),
            this.columns.grip("name", t("history.name")));
        this.viewport = h("div", { class: "viewport" }, this.view.element, this.#notice);
    }

    /** Starts over in the order that the address asks for. */
    reload() {
        this.columns.forget();
        this.columns.apply();
        this.window.order = this.state.params.sort === "time" ? byTime : byArrival;
        return this.window.reload();
    }

    get isAtTop() { return this.view.isAtTop && this.window.start === 0; }

    toTop() {
        this.view.place(0);
        this.window.reload();
    }

    /** @param {boolean} isLast */
    edge(isLast) { this.view.edge(isLast); }

    /** @param {Integer} id */
    find(id) { return this.window.at(this.window.indexOf(id)); }

    /** The record `step` rows below the selected one, or the first in view.
     * @param {number} step */
    next(step) {
        const { window, view } = this;
        if (window.rows.length === 0) return undefined;
        const at = this.state.selected === null ? -1 : window.indexOf(this.state.selected);
        const top = Math.ceil(view.track.offset / view.track.rowHeight);
        const position = at < 0 ? top : Math.min(Math.max(at + step, 0), window.total - 1);
        const record = window.at(position);
        if (record) view.reveal(position);
        return record;
    }

    /** Loads a record's neighbourhood and scrolls to its row, as little as possible.
     * @param {Integer} id */
    async reveal(id) {
        const position = await this.window.locate(id);
        if (position >= 0) this.view.reveal(position);
    }

    /** Scrolls to the selected record's row and a little beyond, if the filter includes it.
     * @param {string} id */
    async bring(id) {
        const { view } = this;
        const position = await this.window.locate(id);
        if (position < 0 || id !== this.state.selected || view.shows(position)) return;
        view.reveal(position <= view.first ? position - margin : position + margin);
        view.draw();
    }

    /** @param {Row} row @param {number} position @param {number} y */
    #fill(row, position, y) {
        const record = this.window.at(position);
        const older = this.window.at(position + 1);
        row.show(record, {
            older, newer: this.window.at(position - 1), previous: record && this.#previousOf(record, position),
            position, y, isSelected: String(record?.id) === this.state.selected,
            isMarked: record !== undefined && this.owner.isMarked(record.id),
            time: record ? this.timeMode.text(record, older) : "",
        });
    }

    /** The previous record of the same name, if it is near and loaded.
     * @param {LogRecord} record @param {number} position */
    #previousOf(record, position) {
        for (let step = 1; step <= furthestPrevious; step += 1) {
            const other = this.window.at(position + step);
            if (other === undefined) return undefined;
            if (other.tag === record.tag && other.kind === record.kind) return other;
        }
        return undefined;
    }

    #drawNotice() {
        const { t, live, navigate } = this.context;
        const { rows, loaded, error, searching } = this.window;
        const notice = this.#notice;
        const isFiltered = Object.keys(this.state.filter).length > 0;
        const isEmpty = loaded && rows.length === 0;
        const kind = error ? "error" : isEmpty ? (isFiltered ? "nothing" : "empty") : "";
        this.progress.textContent = searching
            ? t("history.searching", { done: Number(searching.done), all: Number(searching.total) }) : "";
        // While disconnected the pill says so, and the loaded rows stay readable.
        notice.hidden = kind === "" || searching !== null
            || (kind === "error" && rows.length > 0 && live.state !== "open");
        notice.dataset.small = String(rows.length > 0);
        if (notice.dataset.kind === kind) return;
        notice.dataset.kind = kind;
        if (error) {
            replaceChildren(notice, noticeContent(t("error.title"), error.message,
                textButton(t("error.retry"), () => this.window.retry())));
        } else if (kind === "nothing") {
            const title = t(this.state.params.violations ? "violations.none" : "history.nothing");
            replaceChildren(notice, noticeContent(title, t("history.nothingHint"),
                textButton(t("history.clear"), () => navigate({ screen: "history", params: {} }))));
        } else if (kind === "empty") {
            replaceChildren(notice, noticeContent(t("history.empty"), t("history.emptyHint"),
                h("pre", { class: "sample" }, `OTLPOutput(endpoint: URL(string: "${location.origin}")!)`)));
        }
    }
}
