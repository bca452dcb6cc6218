// What differs between two records of one name. Pure.

import { commonParameters, ownParameters } from "./record.js";

const shown = ({ state, value }) => (state === "value" || state === "extra" ? JSON.stringify(value) : undefined);

/** `[{ name, before, after, isPrivate }]` of the parameters that differ; a parameter that one side lacks is undefined. */
export function changedParameters(before, after, catalog, parametersOf = ownParameters) {
    const old = new Map(parametersOf(before, catalog).map((parameter) => [parameter.name, parameter]));
    const now = new Map(parametersOf(after, catalog).map((parameter) => [parameter.name, parameter]));
    return [...new Set([...now.keys(), ...old.keys()])]
        .map((name) => ({ name, old: old.get(name), now: now.get(name) }))
        .filter(({ old: left, now: right }) => shown(left ?? {}) !== shown(right ?? {}))
        .map(({ name, old: left, now: right }) => ({
            name, before: left?.value ?? undefined, after: right?.value ?? undefined, isPrivate: Boolean(left?.isPrivate || right?.isPrivate),
        }));
}

/** The names of own parameters that changed, for a row. */
export function changedNames(before, after, catalog) {
    return new Set(changedParameters(before, after, catalog).map(({ name }) => name));
}

/** All that differs between two records of one name: own parameters first, then common ones. */
export function difference(before, after, catalog) {
    return [...changedParameters(before, after, catalog), ...changedParameters(before, after, catalog, commonParameters)];
}
