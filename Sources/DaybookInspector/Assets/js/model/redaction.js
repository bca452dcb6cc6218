// @ts-check
// What leaves the page, and what is shown of secrets: the definitions' private columns and what looks like a
// credential are replaced. The recording side redacts before anything is stored; this is for what it did not know. Pure.

import { parsedJSON } from "./exchange.js";
import { hiddenNames } from "./record.js";

export const replacement = "[redacted]";

/** As `Redact.credentialNames` in the library: compared without case, `-` and `_`. */
const secretNames = new Set([
    "password", "passwd", "pwd", "secret", "clientsecret", "token", "accesstoken", "refreshtoken", "idtoken", "apikey",
    "authorization", "proxyauthorization", "cookie", "setcookie", "xapikey", "privatekey", "credential", "credentials",
    "otp", "pin", "cvv", "cardnumber",
]);

/**
 * Whether a value of this name is a secret; of a dotted name (`http.request.header.cookie`) the last part counts.
 * @param {string} name
 */
export function isSecretName(name) {
    return secretNames.has(name.slice(name.lastIndexOf(".") + 1).toLowerCase().replace(/[-_]/g, ""));
}

/** @type {[RegExp, string][]} */
const patterns = [
    [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${replacement}`],
    [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g, replacement],
    [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/:@]+:[^\s/@]+@/gi, `$1${replacement}@`],
    [/\b(password|passwd|secret|access_token|refresh_token|id_token|token|api_key|apikey)=[^&\s"']+/gi,
        `$1=${replacement}`],
];

/**
 * A text without what looks like a credential.
 * @param {string} text
 */
export function scrubbedText(text) {
    return patterns.reduce((result, [pattern, by]) => result.replace(pattern, by), text);
}

/**
 * A value with secrets at any depth replaced, and how many were. JSON within a text is read.
 * @param {Json} value
 */
export function scrubbed(value) {
    let count = 0;
    /** @type {(current: Json, name: string | null) => Json} */
    const visit = (current, name) => {
        if (name !== null && isSecretName(name) && current !== null && current !== replacement) {
            count += 1;
            return replacement;
        }
        if (typeof current === "string") {
            const inner = parsedJSON(current);
            if (inner !== undefined) {
                const before = count;
                const cleaned = visit(inner, null);
                return count === before ? current : JSON.stringify(cleaned);
            }
            const text = scrubbedText(current);
            if (text !== current) count += 1;
            return text;
        }
        if (current === null || typeof current !== "object") return current;
        if (Array.isArray(current)) return current.map((one) => visit(one, null));
        return Object.fromEntries(Object.entries(current).map(([key, one]) => [key, visit(one, key)]));
    };
    return { value: visit(value, null), count };
}

const bodyName = /^(daybook\.)?http\.(request|response)\.body(\.content)?$/;

/**
 * What is replaced: the definitions' private columns, what looks like a credential, the bodies of requests.
 * @typedef {{ private?: boolean, credentials?: boolean, bodies?: boolean }} RedactionRules
 */

/**
 * A record as it may leave, and how many values were replaced.
 * @param {LogRecord} record
 * @param {Catalog} catalog
 * @param {RedactionRules} rules
 */
export function redactedRecord(record, catalog, rules) {
    let count = 0;
    const hidden = hiddenNames(record, catalog);
    const hides = (/** @type {string} */ name) =>
        (rules.private && hidden.has(name)) || (rules.bodies && bodyName.test(name));
    const strip = (/** @type {Json} */ object) => {
        if (object === null || typeof object !== "object" || Array.isArray(object)) return object;
        return Object.fromEntries(Object.entries(object).map(([name, value]) => {
            if (!hides(name) || value === null) return [name, value];
            count += 1;
            return [name, replacement];
        }));
    };
    const stripped = { ...record, attributes: strip(record.attributes), context: strip(record.context) };
    if (!rules.credentials) return { record: stripped, count };
    const scrub = (/** @type {Json | undefined} */ value) => {
        const cleaned = scrubbed(value ?? null);
        count += cleaned.count;
        return cleaned.value;
    };
    const message = scrub(stripped.message);
    const clean = { ...stripped, message: message === null ? null : String(message),
        attributes: scrub(stripped.attributes), context: scrub(stripped.context) };
    return { record: clean, count };
}
