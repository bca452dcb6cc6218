// @ts-check
// The state of an alert as a badge.

import { badge } from "../base/pane.js";

/** @type {Partial<Record<AlertState, string>>} */
export const alertLevels = { firing: "error", failed: "error", pending: "warning", no_data: "warning" };

/** @param {Translate} t @param {AlertState} state */
export function stateBadge(t, state) { return badge(t(`alert.${state}`), alertLevels[state]); }
