// @ts-check
// Which manual items a person has ticked.

import { choiceNames } from "./judging.js";

/** Ticks stay in this browser, and belong to one run or one selection of records. */
export class BrowserTicks {
    /** @param {BrowserStorage} storage @param {() => void} changed */
    constructor(storage, changed) {
        this.storage = storage;
        this.changed = changed;
    }

    /** @param {Checklist} checklist @param {Scenario} scenario @param {ChecklistItem} item */
    has(checklist, scenario, item) {
        return checklist.signed_off ? item.ticked : this.storage.get(tickKey(checklist, scenario, item)) === "1";
    }

    /** @param {Checklist} checklist @param {Scenario} scenario @param {ChecklistItem} item @param {boolean} isTicked */
    set(checklist, scenario, item, isTicked) {
        this.storage.set(tickKey(checklist, scenario, item), isTicked ? "1" : null);
        this.changed();
    }
}

/** @param {Checklist} checklist @param {Scenario} scenario @param {ChecklistItem} item */
function tickKey({ id, run, judging }, scenario, item) {
    const over = run ? String(run.id) : choiceNames.map((name) => judging[name] ?? "").join(" ");
    return `tick/${id}/${over}/${scenario.id}/${item.id}`;
}
