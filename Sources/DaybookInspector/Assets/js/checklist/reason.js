// @ts-check
// Why something has its state, in the reader's language. Pure.

import { ja, ru } from "../texts/checklists/reasons.js";

/** @type {Partial<Record<Language, Record<string, string>>>} */
export const reasonTables = { ja, ru };

/** The phrases' text. English comes from the server; so does anything with an unknown code or argument, or without
 * phrases.
 * @param {Language} language @param {string} text in English
 * @param {readonly Phrase[] | undefined} phrases */
export function reasonText(language, text, phrases) {
    const table = reasonTables[language];
    if (!table || !phrases?.length) return text;
    const parts = phrases.map((phrase) => said(table, phrase));
    return parts.includes(null) ? text : parts.join("");
}

/** @param {Record<string, string>} table @param {Phrase} phrase */
function said(table, { code, arguments: values }) {
    if (!Object.hasOwn(table, code)) return null;
    const isWhole = [...table[code].matchAll(/\{(\w+)\}/g)].every(([, name]) => Object.hasOwn(values, name));
    return isWhole ? table[code].replace(/\{(\w+)\}/g, (_, name) => values[name]) : null;
}
