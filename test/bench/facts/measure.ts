import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openHtml } from "../../../src/content/read-html.ts";
import { readStructuredData } from "../../../src/content/structured-data/read-structured-data.ts";
import { fillSchema } from "../../../src/content/structured-data/schema/fill-schema.ts";
import { shapeOf } from "../../../src/content/structured-data/schema/schema-shape.ts";
import { readLabelledPages } from "./labelled-pages.ts";
import { FIELDS, schemaOfKind } from "./schemas.ts";
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
  /** Rules were adapted to `tuned` and `further` pages only. */
  half: "tuned" | "further" | "kept aside";
}

/** Pages of the first file in turn belong to one half and the other; those of the second were added for tuning. */
export function readPageFacts(): (PageFacts & { half: PageScore["half"] })[] {
  const read = (file: string): PageFacts[] =>
    JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8")) as PageFacts[];
  return [
    ...read("pages.json").map((page, index) => ({
      ...page,
      half: index % 2 === 0 ? ("tuned" as const) : ("kept aside" as const),
    })),
    ...read("further-pages.json").map((page) => ({ ...page, half: "further" as const })),
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
    return [{ url, kind, half, ...scorePage({ url, html: source, kind, facts }) }];
  });
}

export function scorePage({ url, html, kind, facts }: PageFacts & { html: string }): FactScore {
  const { value = {} } = fillSchema(shapeOf(schemaOfKind(kind)), readStructuredData(openHtml(html, url)));
  return scoreFacts(value as Record<string, unknown>, facts, Object.keys(FIELDS[kind] ?? {}));
}
