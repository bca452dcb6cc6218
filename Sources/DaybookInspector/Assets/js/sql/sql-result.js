// @ts-check
// A statement's answer as a table, chart and files: exactly what the collector answered.

import { saveFile } from "../base/bridge.js";
import { quietButton } from "../base/controls.js";
import { h } from "../base/dom.js";
import { chart } from "../charts/chart.js";
import { canDraw } from "../charts/data.js";
import { chartPicker } from "../charts/picker.js";
import { table as commaSeparated } from "../export/formats.js";
import { answerTable, revealButton } from "../parts/answer.js";

/** @param {PageContext} context @param {SQLAnswer} answer
 * @param {boolean} reveals whether what is masked was asked for
 * @param {(reveals: boolean) => void} again asks once more, for what is masked or without it
 * @param {ChartSettings} settings @param {(settings: ChartSettings) => void} choose takes another way to draw it
 * @param {Child} tools what else can be done with the statement */
export function sqlResult(context, answer, reveals, again, settings, choose, tools) {
    const { t } = context;
    const { columns: names, rows } = answer;
    /** @type {(words: string, end: string, type: string, text: () => string) => Child} */
    const save = (words, end, type, text) => quietButton(words, () => saveFile(`result.${end}`, type, text()),
        { title: end === "csv" ? t("export.csvNote") : null });
    return [
        h("div", { class: "line resulttools" },
            save("CSV", "csv", "text/csv", () => commaSeparated(names, rows)),
            save("NDJSON", "ndjson", "application/x-ndjson", () => resultLines(names, rows)),
            revealButton(t, answer, reveals, again), tools, h("span", { class: "gap" }),
            chartPicker(context, answer, settings, choose)),
        settings.kind !== "table" && canDraw(answer, settings) ? chart(context, answer, settings) : null,
        answerTable(names, rows),
    ];
}

/** An object per line; of two columns with the same name the second is `name_2`.
 * @param {string[]} columns @param {Cell[][]} rows */
export function resultLines(columns, rows) {
    const taken = new Set();
    const names = columns.map((column) => {
        let name = column;
        for (let number = 2; taken.has(name); number += 1) name = `${column}_${number}`;
        taken.add(name);
        return name;
    });
    return rows.map((row) => `${JSON.stringify(Object.fromEntries(names.map((name, index) => [name, row[index]])))}\n`)
        .join("");
}
