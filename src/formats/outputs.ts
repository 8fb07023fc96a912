import { formatsOf } from "./index.ts";
import type { ScrapeOptions } from "./scrape-options.ts";

/** Outputs of actions, by the format that a key needs for them: files, markup, and the return values of scripts. */
const OUTPUT_OF_ACTION: Readonly<Record<string, string>> = {
  screenshot: "screenshot",
  pdf: "pdf",
  generatePDF: "pdf",
  scrape: "html",
  executeJavascript: "rawHtml",
};

/** Fields of a document whose name differs from the format's. */
const FORMATS_OF_FIELD: Readonly<Record<string, readonly string[]>> = {
  json: ["json", "deterministicJson"],
  extract: ["json"],
  answer: ["question", "query"],
};

/** Returns the outputs of a scrape, as `scopes.formats` of a key names them. Without formats that is markdown. */
export function outputsOf(options: Pick<ScrapeOptions, "formats" | "actions">): string[] {
  const types = formatsOf(options).map(({ type }): string => type);
  const { actions = [] } = options;
  return [...types, ...actions.flatMap(({ type }) => OUTPUT_OF_ACTION[type] ?? [])];
}

/** Reports whether every field of a document belongs to one of the allowed formats. */
export function isWithin(document: Readonly<Record<string, unknown>>, allowed: readonly string[]): boolean {
  return Object.keys(document).every((field) => {
    if (ALWAYS.has(field)) return true;
    if (field === "actions") return actionOutputs(document[field]).every((output) => allowed.includes(output));
    return (FORMATS_OF_FIELD[field] ?? [field]).some((format) => allowed.includes(format));
  });
}

/** Fields that every document may have, or that belong to another field. */
const ALWAYS: ReadonlySet<string> = new Set(["metadata", "warning", "evidence", "pages", "blocks", "figures", "tools"]);
const OUTPUT_OF_RESULT: Readonly<Record<string, string>> = {
  screenshots: "screenshot",
  pdfs: "pdf",
  scrapes: "html",
  javascriptReturns: "rawHtml",
};

function actionOutputs(actions: unknown): string[] {
  return Object.entries(Object(actions) as Record<string, unknown>).flatMap(([name, values]) =>
    Array.isArray(values) && values.length > 0 ? [OUTPUT_OF_RESULT[name] ?? name] : [],
  );
}
