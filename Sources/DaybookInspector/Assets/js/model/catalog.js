// @ts-check
// The team's definitions, indexed for lookup and search. Pure.

import { folded } from "../base/format.js";

export class Catalog {
    /** @type {Map<string, string>} what is searched of each event, folded */
    #texts = new Map();
    /** @type {Map<string, DefinedEvent>} */
    events = new Map();

    /** @param {Definitions} definitions */
    constructor({ categories, common }) {
        this.categories = categories;
        this.common = common;
        this.commonNames = new Set(common.map((column) => column.name));
        for (const category of categories) {
            for (const event of category.events) {
                this.events.set(event.tag, { event, category, columns: [...category.columns, ...event.columns] });
                this.#texts.set(event.tag, searched([
                    event.tag, event.description, category.description,
                    ...[...category.columns, ...event.columns].flatMap(columnTexts),
                ]));
            }
        }
    }

    get isEmpty() { return this.events.size === 0; }

    /** @param {string} tag */
    find(tag) { return this.events.get(tag); }

    /** The categories and events that contain every word; all of them for an empty query.
     * @param {string} query */
    search(query) {
        const words = wordsOf(query);
        return this.categories
            .map((category) => ({
                category,
                events: category.events.filter((event) => {
                    const text = this.#texts.get(event.tag) ?? "";
                    return words.every((word) => text.includes(word));
                }),
            }))
            .filter(({ events }) => events.length > 0 || words.length === 0);
    }

    /** The common parameters that contain every word; none for an empty query.
     * @param {string} query */
    searchCommon(query) {
        const words = wordsOf(query);
        return this.common.filter((column) => {
            const text = searched(columnTexts(column));
            return words.length > 0 && words.every((word) => text.includes(word));
        });
    }
}

/** @param {ColumnDefinition} column */
function columnTexts(column) {
    return [column.name, ...column.notes, ...column.values.flatMap((value) => [value.value, value.description])];
}

/** @param {string} query */
function wordsOf(query) { return searched([query]).split(/\s+/).filter((word) => word !== ""); }

/** Text as it is searched: folded, with katakana as hiragana, since words are written in both.
 * @param {string[]} texts */
export function searched(texts) {
    return folded(texts.join("\n"))
        .replace(/[\u30a1-\u30f6\u30fd\u30fe]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) - 0x60));
}

/** Whether it is one of the collector's own events, as for alerts and violations: nobody defines those.
 * @param {string} tag */
export function isOwnTag(tag) { return tag.startsWith("daybook."); }

/** Excludes the collector's own records from a statement; LIKE would ignore case. */
export const withoutOwn = "substr(tag, 1, 8) <> 'daybook.'";

/** Event tags that are not defined, with their counts; the API leaves out the collector's own.
 * @template {{ tag: string, kind: Kind }} Summary @param {Catalog} catalog @param {Summary[]} tags */
export function undefinedTags(catalog, tags) {
    return tags.filter(({ tag, kind }) => kind === "event" && !catalog.find(tag));
}

const longestName = 63;

/** A query to start with: the event's own columns from its typed view, latest arrivals first.
 * @param {DefinedEvent} defined */
export function readyQuery({ event, columns }) {
    const name = (/** @type {string} */ value) => `"${value.replaceAll('"', '""')}"`;
    const shown = columns.filter((column) => !column.obsolete).map((column) => column.name);
    // Views shorten longer names; then all columns are selected.
    const isLong = shown.some((value) => new TextEncoder().encode(value).length > longestName);
    const selected = isLong ? "*" : ["_time", ...shown.map(name), "_session"].join(", ");
    const view = /^[a-z_][a-z0-9_]*$/.test(event.view) ? event.view : name(event.view);
    return `SELECT ${selected}\nFROM ${view}\nORDER BY _id DESC\nLIMIT 100`;
}
