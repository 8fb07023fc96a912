import { toWords } from "../../parts/format.ts";
import type { Field } from "./fields.ts";

export interface OptionGroup {
  title: string;
  fields: Field[];
}

/** Options by purpose. Names that no group has are in the last one. */
const GROUPS: readonly [title: string, names: readonly string[]][] = [
  [
    "Content",
    [
      "formats",
      "onlyMainContent",
      "onlyCleanContent",
      "includeTags",
      "excludeTags",
      "removeBase64Images",
      "parsers",
      "redactPII",
      "schema",
      "prompt",
      "systemPrompt",
      "evidence",
      "showSources",
      "highlights",
      "checkPromptInjection",
      "scrapeOptions",
      "showFullText",
      "domainTools",
      "toolDetail",
    ],
  ],
  [
    "Page loading",
    [
      "waitFor",
      "timeout",
      "actions",
      "mobile",
      "headers",
      "location",
      "proxy",
      "blockAds",
      "fastMode",
      "skipTlsVerification",
      "profile",
    ],
  ],
  [
    "Pages to visit",
    [
      "includePaths",
      "excludePaths",
      "regexOnFullURL",
      "maxDiscoveryDepth",
      "crawlEntireDomain",
      "allowSubdomains",
      "includeSubdomains",
      "allowExternalLinks",
      "filterByPath",
      "sitemap",
      "ignoreRobotsTxt",
      "robotsUserAgent",
      "deduplicateSimilarURLs",
      "ignoreQueryParameters",
      "useIndex",
      "ignoreCache",
      "enableWebSearch",
      "strictConstrainToURLs",
      "urls",
      "limit",
    ],
  ],
  [
    "Results of a search",
    [
      "sources",
      "categories",
      "providers",
      "includeDomains",
      "excludeDomains",
      "tbs",
      "filter",
      "lang",
      "country",
      "safe",
      "enterprise",
    ],
  ],
  ["Limits and speed", ["maxCredits", "effort", "delay", "maxConcurrency", "timeLimit", "maxDepth", "maxUrls"]],
  ["Cache and storage", ["maxAge", "minAge", "storeInCache", "lockdown", "archive", "zeroDataRetention"]],
  ["Jobs", ["webhook", "appendToId", "ignoreInvalidURLs", "asyncScraping", "threadId", "mode"]],
];
const REST = "Other";

/** Descriptions of options that the API accepts for clients of earlier versions. */
const FOR_OLD_CLIENTS = /^(?:Accepted for compatibility|Older (?:form|name) of|Alias of|Applied as )/;
const CLIENT_NAMES = new Set(["origin", "integration", "useMock"]);

/** Reports whether an option exists for old clients only, or has no effect. */
export function isForOldClients({ name, hint = "" }: Pick<Field, "name" | "hint">): boolean {
  return CLIENT_NAMES.has(name) || name.startsWith("__") || FOR_OLD_CLIENTS.test(hint);
}

/** Groups options by purpose, in a fixed order. Empty groups are left out. */
export function groupOptions(fields: readonly Field[]): OptionGroup[] {
  const titleOf = ({ name }: Field): string => GROUPS.find(([, names]) => names.includes(name))?.[0] ?? REST;
  return [...GROUPS.map(([title]) => title), REST]
    .map((title) => ({ title, fields: fields.filter((field) => titleOf(field) === title) }))
    .filter((group) => group.fields.length > 0);
}

/** Returns the options whose name or description has all words of a query. */
export function findOptions(fields: readonly Field[], query: string): Field[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return fields.filter(({ name, hint = "" }) => {
    const text = `${name} ${toWords(name)} ${hint}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
