// What the team defined, ready for looking up and searching. Pure.

import { folded } from "./format.js";

export class Catalog {
    constructor({ categories, common }) {
        this.categories = categories;
        this.common = common;
        this.commonNames = new Set(common.map((column) => column.name));
        this.events = new Map();
        this.#texts = new Map();
        for (const category of categories) {
            for (const event of category.events) {
                this.events.set(event.tag, { event, category, columns: [...category.columns, ...event.columns] });
                this.#texts.set(event.tag, folded([
                    event.tag, event.description, category.description,
                    ...event.columns.flatMap((column) => [
                        column.name, ...column.notes,
                            ...column.values.flatMap((value) => [value.value, value.description]),
                    ]),
                ].join("\n")));
            }
        }
    }

    #texts;

    get isEmpty() { return this.events.size === 0; }

    /** `{ event, category, columns }` of a tag, or undefined. */
    find(tag) { return this.events.get(tag); }

    /** Categories with the events that contain every word of `query`; all of them for none. */
    search(query) {
        const words = folded(query).split(/\s+/).filter((word) => word !== "");
        return this.categories
            .map((category) => ({
                category,
                events: category.events.filter((event) => {
                    const text = this.#texts.get(event.tag);
                    return words.every((word) => text.includes(word));
                }),
            }))
            .filter(({ events }) => events.length > 0 || words.length === 0);
    }
}

/** Tags seen as events that nobody defined, with their counts. */
export function undefinedTags(catalog, tags) {
    return tags.filter(({ tag, kind }) => kind === "event" && !catalog.find(tag));
}

/** A first query for an event: its own columns by name, newest first. */
export function readyQuery({ event, columns }) {
    const text = (value) => `'${value.replaceAll("'", "''")}'`;
    const name = (value) => `"${value.replaceAll('"', '""')}"`;
    const selected = columns
        .filter((column) => !column.obsolete)
        .map((column) => `    json_extract(attributes, ${text(`$."${column.name}"`)}) AS ${name(column.name)}`);
    return [
        "SELECT",
        ["    id", "    datetime(time / 1000000000, 'unixepoch') AS at", ...selected, "    session"].join(",\n"),
        "FROM records",
        `WHERE tag = ${text(event.tag)}`,
        "ORDER BY id DESC",
        "LIMIT 100",
    ].join("\n");
}
