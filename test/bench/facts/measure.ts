import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openHtml } from "../../../src/content/read-html.ts";
import { readStructuredData } from "../../../src/content/structured-data/read-structured-data.ts";
import { fillSchema } from "../../../src/content/structured-data/schema/fill-schema.ts";
import { shapeOf } from "../../../src/content/structured-data/schema/schema-shape.ts";
import { readLabelledPages } from "./labelled-pages.ts";
import { FIELDS, FURTHER_FIELDS } from "./schemas.ts";
import { scoreFacts, type Fact, type FactScore } from "./score-facts.ts";

/** A page with facts that were written by hand after reading it. */
export interface PageFacts {
  url: string;
  kind: string;
  facts: Record<string, Fact>;
}

export interface PageScore extends FactScore {
  url: string;
  kind: string;
  /** Rules were adapted to all but the `unseen` pages. */
  half: "tuned" | "further" | "kept aside" | "unseen";
}

/**
 * Pages of the first file in turn belong to one half and the other; those of the second were added for tuning, those of
 * the third for checking: their facts were written before the rules had read them.
 */
export function readPageFacts(): (PageFacts & { half: PageScore["half"] })[] {
  const read = (file: string): PageFacts[] =>
    JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8")) as PageFacts[];
  return [
    ...read("pages.json").map((page, index) => ({
      ...page,
      half: index % 2 === 0 ? ("tuned" as const) : ("kept aside" as const),
    })),
    ...read("further-pages.json").map((page) => ({ ...page, half: "further" as const })),
    ...read("unseen-pages.json").map((page) => ({ ...page, half: "unseen" as const })),
  ];
}

/** Fills the schema of each page by rules and compares. The pages themselves are in `folder`, outside the repository. */
export function measureFacts(folder: string): PageScore[] {
  const pages = readPageFacts();
  const html = new Map<string, string>();
  for (const page of readLabelledPages(folder, new Set(pages.map(({ url }) => url)))) html.set(page.url, page.html);
  return pages.flatMap(({ url, kind, facts, half }) => {
    const source = html.get(url);
    if (source === undefined) return [];
    const fields = half === "unseen" ? { ...FIELDS[kind], ...FURTHER_FIELDS } : FIELDS[kind];
    return [{ url, kind, half, ...scorePage({ url, html: source, facts, fields }) }];
  });
}

export function scorePage({
  url,
  html,
  facts,
  fields = {},
}: Omit<PageFacts, "kind"> & { html: string; fields: Record<string, object> | undefined }): FactScore {
  const shape = shapeOf({ type: "object", properties: fields });
  const { value = {} } = fillSchema(shape, readStructuredData(openHtml(html, url)));
  return scoreFacts(value as Record<string, unknown>, facts, Object.keys(fields));
}
