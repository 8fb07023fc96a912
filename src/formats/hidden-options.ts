import type { z } from "zod";
import { HIDDEN } from "../core/text/hidden.ts";
import { isPortableHeader } from "../core/url/portable-headers.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The field of each action that may hold a secret. */
const SECRET_FIELDS: Readonly<Record<string, string>> = { write: "text", executeJavascript: "script" };

/** Returns headers whose values may be secrets as `(hidden)`. */
export function hiddenHeaders(headers: Fields): Record<string, unknown> {
  const shown = Object.entries(headers).map(([name, value]) => [name, isPortableHeader(name) ? value : HIDDEN]);
  return Object.fromEntries(shown) as Record<string, unknown>;
}

/**
 * Returns options as other keys of the team see them: values of headers that may be secrets, typed texts and scripts are
 * `(hidden)`. Those of `scrapeOptions` as well.
 */
export function hiddenOptions(options: Fields): Record<string, unknown> {
  const { headers, actions, scrapeOptions } = options;
  return {
    ...options,
    ...(isFields(headers) ? { headers: hiddenHeaders(headers) } : {}),
    ...(Array.isArray(actions) ? { actions: actions.map(hiddenAction) } : {}),
    ...(isFields(scrapeOptions) ? { scrapeOptions: hiddenOptions(scrapeOptions) } : {}),
  };
}

/** Reports whether options have values that other keys of the team do not see. */
export function hasHidden(options: Fields): boolean {
  return JSON.stringify(hiddenOptions(options)) !== JSON.stringify(options);
}

function hiddenAction(action: unknown): unknown {
  const field = secretFieldOf(action);
  return isFields(action) && field !== undefined ? { ...action, [field]: HIDDEN } : action;
}

function secretFieldOf(action: unknown): string | undefined {
  return isFields(action) ? SECRET_FIELDS[String(action["type"])] : undefined;
}

/** Returns the paths of the values that are `(hidden)`. */
export function hiddenPaths({ headers, actions }: { headers?: unknown; actions?: unknown }): (string | number)[][] {
  const names = isFields(headers) ? Object.keys(headers).filter((name) => headers[name] === HIDDEN) : [];
  const steps = Array.isArray(actions) ? actions : [];
  const texts = steps.flatMap((action: unknown, place) => {
    const field = secretFieldOf(action);
    return isFields(action) && field !== undefined && action[field] === HIDDEN ? [["actions", place, field]] : [];
  });
  return [...names.map((name) => ["headers", name]), ...texts];
}

/** Refuses options with values that were hidden from their reader, which no site is to receive. */
export function checkHidden(options: { headers?: unknown; actions?: unknown }, context: z.core.$RefinementCtx): void {
  for (const path of hiddenPaths(options)) {
    const message = `${path.join(".")}: "${HIDDEN}" stands for a value of another key. Give the value itself.`;
    context.addIssue({ code: "custom", path, message, input: HIDDEN });
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
