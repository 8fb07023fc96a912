import { z } from "zod";
import { isOnSite } from "../../core/search/search-query.ts";
import { withoutStopWords } from "../../core/search/stop-words.ts";
import { wordsOf } from "../../core/search/words.ts";
import { CALL_CREDITS, CAPABILITIES, CATEGORIES, optionsOf, recordFieldsOf, type Capability } from "./catalogue.ts";

/** How much of a capability is described. */
export type ToolDetail = "compact" | "summary" | "full";

/** A capability that was found, as clients read it. */
export type FoundTool = Record<string, unknown> & { provider: string; capability: string; description: string };

const Names = z.array(z.string().min(1).max(200)).min(1).max(50);

/** Options of the capability `firecrawl/find-tools`. */
export const FindToolsOptions = z.strictObject({
  query: z.string().trim().min(1).max(2_000).optional(),
  urls: z.array(z.url()).min(1).max(100).optional(),
  providers: Names.optional(),
  categories: Names.optional(),
  groups: Names.optional(),
  capabilities: Names.optional(),
  level: z.enum(["categories", "providers", "groups", "tools"]).optional(),
  expand: z.array(z.enum(["options", "response", "examples"])).optional(),
  limit: z.int().min(1).max(100).default(20),
  offset: z.int().min(0).default(0),
});
export type FindToolsOptions = z.output<typeof FindToolsOptions>;

/** One page of the catalogue. */
export interface ToolPage {
  level: "categories" | "providers" | "groups" | "tools";
  items: Record<string, unknown>[];
  total: number;
  /** The call for the next page. */
  next: FindToolsCall | null;
}

interface FindToolsCall {
  provider: "firecrawl";
  capability: "find-tools";
  options: Record<string, unknown>;
}

const toFindTools = (options: Record<string, unknown>): FindToolsCall => ({
  provider: "firecrawl",
  capability: "find-tools",
  options,
});

/** Returns a page of the catalogue: its categories, providers or tools, as far as the options select them. */
export function findTools(options: FindToolsOptions, available: readonly Capability[]): ToolPage {
  const level = options.level ?? levelOf(options);
  const selected = available.filter((tool) => isSelected(tool, options));
  const all = itemsAt(level, selected, options);
  const { limit, offset } = options;
  const hasMore = offset + limit < all.length;
  const next = hasMore ? toFindTools({ ...options, level, offset: offset + limit }) : null;
  return { level, items: all.slice(offset, offset + limit), total: all.length, next };
}

function levelOf({ query, urls, providers, categories, groups, capabilities }: FindToolsOptions): ToolPage["level"] {
  if ([query, urls, providers, groups, capabilities].some((selector) => selector !== undefined)) return "tools";
  return categories === undefined ? "categories" : "providers";
}

function isSelected(tool: Capability, options: FindToolsOptions): boolean {
  const { query, urls, providers, categories, groups, capabilities } = options;
  return (
    providers?.includes(tool.provider) !== false &&
    categories?.includes(tool.category) !== false &&
    groups?.includes(groupOf(tool)) !== false &&
    capabilities?.some((name) => name === tool.capability || name === idOf(tool)) !== false &&
    urls?.some((url) => isOnSite(url, tool.hosts)) !== false &&
    (query === undefined || similarity(tool, query) > 0)
  );
}

const idOf = ({ provider, capability }: Capability): string => `${provider}/${capability}`;
const groupOf = ({ provider, capability }: Capability): string => `${provider}/${capability.split("/")[0] ?? ""}`;

function itemsAt(
  level: ToolPage["level"],
  tools: readonly Capability[],
  { query, expand = [] }: FindToolsOptions,
): Record<string, unknown>[] {
  if (level === "tools") {
    const ranked = query === undefined ? tools : bySimilarity(tools, query);
    return ranked.map((tool) => {
      const { provider, capability } = tool;
      const { id: _, ...summary } = describeTool(tool, "summary");
      const expanded = expand.length > 0 ? contractOf(tool, expand) : {};
      return { id: idOf(tool), ...summary, ...expanded, execute: { provider, capability } };
    });
  }
  const keyOf = { categories: (tool: Capability) => tool.category, providers: (tool: Capability) => tool.provider,
    groups: groupOf }[level]; // prettier-ignore
  return [...new Set(tools.map(keyOf))].map((key) => {
    const members = tools.filter((tool) => keyOf(tool) === key);
    const selector = { [level]: [key], level: level === "categories" ? "providers" : "tools" };
    const name = level === "categories" ? (CATEGORIES[key] ?? key) : key;
    return { id: key, name, description: aboutOf(level, members, name), next: toFindTools(selector) };
  });
}

function aboutOf(level: ToolPage["level"], members: readonly Capability[], name: string): string {
  return level === "categories" ? name : members.map(({ description }) => description).join(" ");
}

function contractOf(tool: Capability, expand: readonly string[]): Record<string, unknown> {
  const request = { query: "harbour bells", limit: 5 };
  const { provider, capability } = tool;
  return {
    ...(expand.includes("options") ? { options: optionsOf(tool) } : {}),
    ...(expand.includes("response")
      ? { response: { about: tool.description, key: "results", fields: recordFieldsOf(tool) } }
      : {}),
    ...(expand.includes("examples")
      ? { examples: { json: JSON.stringify({ alexandria: { provider, capability, options: request } }) } }
      : {}),
  };
}

/** Describes a tool in as much detail as was requested. */
export function describeTool(tool: Capability, detail: ToolDetail): FoundTool {
  const { provider, capability, name, description, whenToUse } = tool;
  if (detail === "compact") return { provider, capability, description };
  const next = toFindTools({ providers: [provider], capabilities: [capability], level: "tools" });
  const summary = { id: idOf(tool), provider, capability, name, description, whenToUse, creditsCost: CALL_CREDITS,
    perRecord: false, next }; // prettier-ignore
  return detail === "summary" ? summary : { ...summary, ...contractOf(tool, ["options", "response", "examples"]) };
}

/** Share of the words of a query that a tool's description has; words, not a model, decide. */
function similarity({ name, description, whenToUse, category, provider }: Capability, query: string): number {
  const known = new Set(wordsOf(`${name} ${description} ${whenToUse} ${category} ${provider}`).flatMap(forms));
  const words = [...new Set(withoutStopWords(wordsOf(query)))];
  const shared = words.filter((word) => forms(word).some((form) => known.has(form))).length;
  return words.length === 0 ? 0 : shared / words.length;
}

/** A word, and the word without the ending of a plural. */
const forms = (word: string): string[] => [word, word.replace(/(?<=\w{3})(?:es|s)$/, "")];

function bySimilarity(tools: readonly Capability[], query: string): Capability[] {
  return tools.toSorted((left, right) => similarity(right, query) - similarity(left, query));
}

/** The request of a search in the catalogue. */
export interface ToolMatching {
  query: string;
  /** True to match tools with the words of the query. */
  bySubject: boolean;
  /** URLs of results, to match tools with their hosts; undefined for none. */
  urls: readonly string[] | undefined;
  detail: ToolDetail;
}

/** Returns the tools that fit a search: by its words, and by the hosts of its results. */
export function matchTools(
  { query, bySubject, urls = [], detail }: ToolMatching,
  available: readonly Capability[] = CAPABILITIES,
): FoundTool[] {
  return bySimilarity(available, query).flatMap((tool) => {
    const matchedUrls = urls.filter((url) => isOnSite(url, tool.hosts));
    const matchedBy = [
      ...(bySubject && similarity(tool, query) > 0 ? ["semantic"] : []),
      ...(matchedUrls.length > 0 ? ["domain"] : []),
    ];
    if (matchedBy.length === 0) return [];
    const described = describeTool(tool, detail);
    return [detail === "compact" ? described : { ...described, matchedBy, matchedUrls }];
  });
}
