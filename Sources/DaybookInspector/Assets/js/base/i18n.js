// @ts-check
// The page's own words. Names of events, parameters and tags are never translated.

import en from "../texts/en.js";
import ja from "../texts/ja.js";
import ru from "../texts/ru.js";

/** @type {Record<Language, string>} */
export const languages = { en: "English", ja: "日本語", ru: "Русский" };
/** @type {Record<Language, { [key: string]: string | { other: string, [plural: string]: string } }>} */
export const tables = { en, ja, ru };

/** The first of `wanted` that exists, otherwise English.
 * @param {readonly (string | null)[]} wanted @returns {Language} */
export function pickLanguage(wanted) {
    for (const tag of wanted) {
        const name = String(tag).toLowerCase().split("-")[0];
        if (name in tables) return /** @type {Language} */ (name);
    }
    return "en";
}

/** Looks up a key and fills in values; an entry may have one form per plural of `n`.
 * @param {Language} language @returns {Translate} */
export function translator(language) {
    const plural = new Intl.PluralRules(language);
    const number = new Intl.NumberFormat(language);
    return (key, values = {}) => {
        const entry = tables[language][key];
        if (entry === undefined) throw new Error(`no text for ${key}`);
        const text = typeof entry === "string" ? entry : entry[plural.select(Number(values.n))] ?? entry.other;
        return text.replace(/\{(\w+)\}/g, (_, name) => {
            const value = values[name];
            return typeof value === "number" ? number.format(value) : String(value);
        });
    };
}
