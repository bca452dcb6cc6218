// A statement's answer as it may be shown. Pure.

const mask = "••••";

/** `{ rows, hasPrivate }`: the rows with the columns masked that have the name of a private one, unless `reveals`. */
export function shownRows({ columns, rows }, privateNames, reveals) {
    const hidden = new Set(columns.flatMap((name, index) => (privateNames.has(name) ? [index] : [])));
    const shown = reveals || hidden.size === 0 ? rows
        : rows.map((row) => row.map((cell, index) => (hidden.has(index) && cell !== null ? mask : cell)));
    return { rows: shown, hasPrivate: hidden.size > 0 };
}

/** One object a line; of two columns with one name the second is `name_2`. */
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
