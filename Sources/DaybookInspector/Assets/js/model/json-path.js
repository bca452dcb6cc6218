// Places within a JSON value. Pure.

import { folded } from "../base/format.js";

const mostFound = 200;
const mostVisited = 200_000;

/** `a.b[2]["odd key"]`: a path as a program would write it. */
export function pathText(path) {
    return path.map((part, index) => (typeof part === "number" ? `[${part}]`
        : /^[A-Za-z_$][\w$]*$/.test(part) ? (index > 0 ? "." : "") + part : `[${JSON.stringify(part)}]`)).join("");
}

/** `{ paths, isCut }`: where a key or a value contains `words`, which are folded; bounded, in the order of the text. */
export function found(value, words) {
    const paths = [];
    let visited = 0;
    const visit = (current, path) => {
        visited += 1;
        if (paths.length >= mostFound || visited > mostVisited) return;
        const name = path.at(-1);
        const isLeaf = current === null || typeof current !== "object";
        if ((typeof name === "string" && folded(name).includes(words))
            || (isLeaf && folded(String(current)).includes(words))) paths.push(path);
        if (isLeaf) return;
        const isArray = Array.isArray(current);
        for (const [key, child] of Object.entries(current)) visit(child, [...path, isArray ? Number(key) : key]);
    };
    visit(value, []);
    return { paths, isCut: paths.length >= mostFound || visited > mostVisited };
}
