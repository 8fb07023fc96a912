import type { HtmlView } from "../html/html-view.ts";
import { WorkBudget } from "../../core/work-budget.ts";
import type { HtmlTree } from "../html/tree/tree.ts";
import { textFact, type FactGroup, type FactRecord, type StructuredData } from "./facts.ts";
import { readJsonLd } from "./sources/json-ld.ts";
import { readMarkedUp } from "./sources/marked-up.ts";
import { readPageNames } from "./sources/page-names.ts";
import { readMetaTags } from "./sources/meta-tags.ts";
import { scanBody } from "./sources/scan-body.ts";

/** Types of things around a page's subject: they are read, but never taken for the subject. */
export const SURROUNDINGS: ReadonlySet<string> = new Set(
  "BreadcrumbList ListItem WebSite WebPage SearchAction SiteNavigationElement ImageObject WPHeader WPFooter WPSideBar CollectionPage ReadAction Thing".split(
    " ",
  ),
);

const DEEP_KEYS = /^(?:mainEntity|mainEntityOfPage|itemListElement|item|about|hasPart)$/;

/** Part of the request's budget: other formats are read as well. */
const MAX_STEPS = 20_000_000;

/**
 * Reads everything that a page states in a form that rules can read. Pure; called once per page. Parts beyond the
 * budget are left out and named in it.
 */
export function readStructuredData({ tree, baseUrl }: HtmlView, budget: WorkBudget = new WorkBudget()): StructuredData {
  const own = budget.within({ steps: MAX_STEPS });
  const records = [
    ...readJsonLd(tree.head.jsonLd, baseUrl, { budget: own }),
    ...readMarkedUp(tree.root, baseUrl, own),
  ].flatMap(withParts);
  const body = scanBody(tree.root, baseUrl, own);
  const page: FactRecord = {
    kind: "record",
    source: "labels",
    types: [],
    facts: [
      ...readPageNames(tree, body.headings, baseUrl),
      ...body.facts,
      ...readMetaTags(tree, baseUrl),
      ...titleOf(tree.head.title),
    ],
  };
  return {
    records,
    page,
    groups: [...groupsOf(records), ...body.groups],
    language: (tree.head.language || "").toLowerCase(),
    baseUrl,
  };
}

/** Reads the head alone, for a small part of the time: JSON-LD in a quick reading, the tags and the title. */
export function readHead(head: HtmlTree["head"], baseUrl: string, budget: WorkBudget): StructuredData {
  return {
    records: readJsonLd(head.jsonLd, baseUrl, { isQuick: true, budget }).flatMap(withParts),
    page: {
      kind: "record",
      source: "labels",
      types: [],
      facts: [...readMetaTags({ head }, baseUrl), ...titleOf(head.title)],
    },
    groups: [],
    language: head.language.toLowerCase(),
    baseUrl,
  };
}

/** Adds the records that a record holds or is about as records next to it. */
function withParts(record: FactRecord): FactRecord[] {
  const parts = record.facts.flatMap(({ label, value }) => {
    if (!DEEP_KEYS.test(label)) return [];
    const items = value.kind === "list" ? value.items : [value];
    return items.flatMap((item) => (item.kind === "record" ? withParts(item) : []));
  });
  return [record, ...parts];
}

/** Groups records by type: those of one type are a row of like things. */
function groupsOf(records: readonly FactRecord[]): FactGroup[] {
  const byType = new Map<string, FactRecord[]>();
  for (const record of records) {
    const [type = ""] = record.types;
    if (type === "" || SURROUNDINGS.has(type)) continue;
    const known = byType.get(type);
    if (known === undefined) byType.set(type, [record]);
    else known.push(record);
  }
  return [...byType].flatMap(([type, list]) => (list.length >= 2 ? [{ labels: [type], records: list }] : []));
}

/** Returns the first part of the title: the part behind a dash or a bar is the site. */
function titleOf(title: string): FactRecord["facts"] {
  const parts = title.split(/(?<!\s)\s+[|–—·»•-]\s+/);
  const first = parts[0]?.trim() ?? "";
  return first === "" ? [] : [{ label: "title", value: textFact(first), source: "text" }];
}
