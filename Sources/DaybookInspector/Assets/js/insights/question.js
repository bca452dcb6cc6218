// @ts-check
// A question as the form, the address and docs/formats/insight.md have it. Pure.

import { two } from "../base/format.js";

/** In the order in which they are offered. */
export const questionKinds = ["funnel", "retention", "path", "count", "measure", "differ"];
/** That a difference looks at. */
export const mostColumns = 20;
/** The time limit for all steps; empty for none. */
export const withins = ["", "1m", "10m", "1h", "1d", "7d", "30d"];
/** The period of records; empty for all. */
export const spans = ["", "1d", "7d", "30d", "90d"];

/** @returns {InsightQuestion} */
export function emptyQuestion() {
    return { kind: "funnel", steps: ["", ""], anyOrder: false, without: "", number: "", buckets: false, within: "1h", joining: "",
        version: false, versions: [], parameter: "", columns: [], period: "", last: "" };
}

/** @param {Params} params of the address
 * @returns {InsightQuestion} */
export function readQuestion(params) {
    const question = emptyQuestion();
    if (questionKinds.includes(params.kind ?? "")) question.kind = /** @type {InsightKind} */ (params.kind);
    const steps = (params.steps ?? "").split("\n").slice(0, 10);
    question.steps = params.steps ? steps : question.steps;
    question.within = params.within ?? (params.steps ? "" : question.within);
    question.joining = params.joining ?? "";
    question.version = params.by?.split(",").includes("version") ?? false;
    question.versions = question.version ? (params.versions ?? "").split("\n").filter((name) => name !== "") : [];
    question.period = /** @type {"" | "day" | "week"} */ (["day", "week"]
        .find((name) => params.by?.split(",").includes(name)) ?? "");
    question.last = params.last ?? "";
    question.anyOrder = params.order === "any";
    question.without = params.without ?? "";
    question.number = params.number ?? "";
    question.buckets = params.show === "buckets";
    question.parameter = params.parameter ?? "";
    question.columns = (params.columns ?? "").split(",").filter((name) => name !== "").slice(0, mostColumns);
    return fitted(question);
}

/** @param {InsightQuestion} question @returns {Record<string, string>} */
export function writeQuestion(question) {
    const { kind, steps, anyOrder, without, number, buckets, within, joining, version, versions, parameter, columns, period, last } = question;
    const by = [version ? "version" : "", period].filter((name) => name !== "").join(",");
    return { kind, steps: steps.join("\n"), order: anyOrder ? "any" : "", without, number, show: buckets ? "buckets" : "",
        within, joining, by,
        versions: versions.join("\n"), parameter, columns: columns.join(","), last };
}

/** Adjusts the number of steps and drops what the kind does not have.
 * @param {InsightQuestion} question @returns {InsightQuestion} */
export function fitted(question) {
    if (question.kind !== "measure") question = { ...question, buckets: false };
    const most = { funnel: 10, retention: 2, path: 1, count: 1, measure: 1, differ: 2 }[question.kind];
    const least = Math.min(most, 2);
    const steps = question.steps.slice(0, most);
    while (steps.length < least) steps.push("");
    if (question.kind === "funnel") return { ...question, steps, number: "", columns: [] };
    const other = { ...question, steps, anyOrder: false, without: "", columns: [] };
    if (question.kind === "differ") {
        return { ...other, within: "", joining: "", version: false, versions: [], parameter: "", period: "", number: "",
            columns: question.columns.length > 0 ? question.columns : ["version"] };
    }
    if (question.kind === "measure") return { ...other, within: "", joining: "", number: question.number || "_duration" };
    if (question.kind === "count") return { ...other, within: "", number: "" };
    if (question.kind === "path") return { ...other, period: "", number: "" };
    return { ...other, within: "", version: false, versions: [], number: "", period: question.period || "day" };
}

/** @param {InsightQuestion} question */
export function isComplete({ kind, steps }) {
    return kind === "retention" ? steps[0] !== "" : steps.every((step) => step !== "");
}

/** The insight's text. `zone` is the reader's offset in minutes, as `Date` gives it.
 * @param {InsightQuestion} question @param {number} zone */
export function insightText(question, zone) {
    const { kind, steps, anyOrder, without, number, buckets, within, joining, version, versions, parameter, columns, period, last } = question;
    const words = [];
    if (kind === "funnel") words.push(steps.join(" -> "));
    else if (kind === "count") words.push(`count ${steps[0]}`);
    else if (kind === "measure") words.push(`measure ${number} of ${steps[0]}`);
    else if (kind === "differ") words.push(`differ ${steps[0]} from ${steps[1]}`);
    else if (kind === "retention") words.push(`retention ${steps[0]}${steps[1] ? ` returning ${steps[1]}` : ""}`);
    else words.push(`path after ${steps[0]}`);
    if (anyOrder) words.push("in any order");
    if (buckets) words.push("in buckets");
    if (without) words.push(`without ${without}`);
    if (within) words.push(`within ${within}`);
    if (joining) words.push(`joining ${joining}`);
    const list = versions.map((name) => JSON.stringify(name)).join(", ");
    const groups = [...columns, version ? `version${list ? ` in (${list})` : ""}` : "", parameter, period].filter((name) => name !== "");
    if (groups.length > 0) words.push(`by ${groups.join(", ")}`);
    if (last) words.push(`last ${last}`);
    if (period && zone !== 0) words.push(`zone "${zoneText(zone)}"`);
    return words.join(" ");
}

/** @param {number} minutes before UTC: -540 is +09:00 */
function zoneText(minutes) {
    const amount = Math.abs(minutes);
    return `${minutes > 0 ? "-" : "+"}${two(Math.floor(amount / 60))}:${two(amount % 60)}`;
}
