import type { ScrapeOptions } from "./scrape-options.ts";

/** What actions bring back, by the format that a key needs for it: files, markup, and whatever a script returns. */
const OUTPUT_OF_ACTION: Readonly<Record<string, string>> = {
  screenshot: "screenshot",
  pdf: "pdf",
  generatePDF: "pdf",
  scrape: "html",
  executeJavascript: "rawHtml",
};

/** Fields of a document that are not called as the format that makes them. */
const FORMATS_OF_FIELD: Readonly<Record<string, readonly string[]>> = {
  json: ["json", "deterministicJson"],
  extract: ["json"],
  answer: ["question", "query"],
};

/** Names of everything that a scrape gives out, as `scopes.formats` of a key name it. Without formats that is markdown. */
export function outputsOf({ formats, actions = [] }: Pick<ScrapeOptions, "formats" | "actions">): string[] {
  const types = (formats ?? [{ type: "markdown" as const }]).map(({ type }): string => type);
  return [...types, ...actions.flatMap(({ type }) => OUTPUT_OF_ACTION[type] ?? [])];
}

/** Whether everything that a document holds is of these formats. */
export function isWithin(document: Readonly<Record<string, unknown>>, allowed: readonly string[]): boolean {
  return Object.keys(document).every((field) => {
    if (ALWAYS.has(field)) return true;
    if (field === "actions") return actionOutputs(document[field]).every((output) => allowed.includes(output));
    return (FORMATS_OF_FIELD[field] ?? [field]).some((format) => allowed.includes(format));
  });
}

/** What every document has, or what belongs to another field of it. */
const ALWAYS: ReadonlySet<string> = new Set(["metadata", "warning", "evidence", "pages", "blocks"]);
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
