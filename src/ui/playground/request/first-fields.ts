import type { Operation } from "../../api/openapi.ts";
import type { Field } from "./fields.ts";
import { isForOldClients } from "./option-groups.ts";

/** Fields to show first, by path. All others are under "More options". */
const FIRST: Record<string, readonly string[] | undefined> = {
  "/scrape": ["url", "formats", "onlyMainContent"],
  "/batch/scrape": ["urls", "formats"],
  "/crawl": ["url", "limit", "prompt"],
  "/crawl/params-preview": ["url", "prompt"],
  "/map": ["url", "search", "limit"],
  "/parse": ["file", "options"],
  "/search": ["query", "limit", "sources"],
  "/extract": ["urls", "prompt", "schema"],
  "/agent": ["prompt", "urls", "schema"],
  "/browser": ["ttl", "activityTtl", "streamWebView", "recordSession"],
  "/browser/{id}/execute": ["code", "language"],
  "/deep-research": ["query", "topic", "maxDepth", "timeLimit"],
  "/llmstxt": ["url", "maxUrls", "showFullText"],
  "/team/keys": ["name", "expiresAt", "monthlyCredits"],
};
/** Number of fields to show first for other paths. */
const DEFAULT_COUNT = 4;

/** Splits a form's fields into the first ones, the other options, and those for old clients. */
export function splitFields(
  operation: Pick<Operation, "path">,
  fields: readonly Field[],
): { first: Field[]; more: Field[]; old: Field[] } {
  const old = fields.filter((field) => !field.isRequired && isForOldClients(field));
  const visible = fields.filter((field) => !old.includes(field));
  const wanted = FIRST[operation.path.replace(/^\/v\d/, "")];
  const isFirst = ({ name, isRequired }: Field): boolean =>
    wanted === undefined ? isRequired : wanted.includes(name) || isRequired;
  const first = visible.filter(isFirst);
  const order = (field: Field): number => wanted?.indexOf(field.name) ?? 0;
  first.sort((one, other) => order(one) - order(other));
  if (wanted === undefined && first.length < DEFAULT_COUNT) {
    const simple = visible.filter((field) => !first.includes(field) && field.kind !== "json" && field.kind !== "group");
    first.push(...simple.slice(0, DEFAULT_COUNT - first.length));
  }
  return { first, more: visible.filter((field) => !first.includes(field)), old };
}
