/** Options of a crawl that can be told in words. */
export interface PromptedOptions {
  includePaths?: string[];
  excludePaths?: string[];
  maxDiscoveryDepth?: number;
  crawlEntireDomain?: boolean;
  allowExternalLinks?: boolean;
  allowSubdomains?: boolean;
  sitemap?: "skip" | "include" | "only";
  ignoreQueryParameters?: boolean;
  delay?: number;
  limit?: number;
}

const NUMBERS: Record<string, number> = {
  one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10, twenty: 20, fifty: 50, hundred: 100,
}; // prettier-ignore
const NUMBER = `(\\d{1,7}|${Object.keys(NUMBERS).join("|")})`;
/** Words that name no part of a site. */
const NO_PART = new Set([
  "the", "a", "an", "all", "any", "every", "everything", "page", "pages", "part", "section", "sections", "site", "website",
  "query", "robots", "external", "duplicates", "images", "first", "up", "links", "sitemap", "subdomains", "domain", "content", "of", "to", "from", "with", "that", "this", "me",
]); // prettier-ignore

interface Rule {
  pattern: RegExp;
  apply(options: PromptedOptions, found: RegExpMatchArray): void;
}

const PART =
  "((?:/?[\\p{L}\\d_-]+(?:/[\\p{L}\\d_-]+)*/?)(?:\\s*(?:,|and|or)\\s*(?:the\\s+)?/?[\\p{L}\\d_-]+(?:/[\\p{L}\\d_-]+)*/?)*)";

/** What is understood: English phrases, wherever they stand in the prompt. Each takes time linear in the prompt. */
const RULES: readonly Rule[] = [
  {
    pattern: new RegExp(
      `\\b(?:skip|exclude|ignore|without|except|avoid|not)\\s+(?:for\\s+)?(?:the\\s+|any\\s+|all\\s+)?${PART}`,
      "giu",
    ),
    apply: (options, [, parts = ""]) => addPaths(options, "excludePaths", parts),
  },
  {
    pattern: new RegExp(
      `\\b(?:only|just)\\s+(?:the\\s+|crawl\\s+|scrape\\s+|get\\s+|include\\s+|pages\\s+(?:in|under|below|of)\\s+){0,3}${PART}`,
      "giu",
    ),
    apply: (options, [, parts = ""]) => addPaths(options, "includePaths", parts),
  },
  {
    pattern: new RegExp(
      `\\b${NUMBER}\\s+(?:levels?|links?|hops?|clicks?)\\s+(?:deep|away|down)\\b|\\bdepth\\s+(?:of\\s+)?${NUMBER}\\b`,
      "giu",
    ),
    apply: (options, [, before, after]) => {
      options.maxDiscoveryDepth = toNumber(before ?? after);
    },
  },
  {
    pattern: new RegExp(
      `\\b(?:limit(?:ed)?(?:\\s+(?:of|to))?|at\\s+most|up\\s+to|no\\s+more\\s+than|maximum(?:\\s+of)?|max|first)\\s+${NUMBER}(?!\\s+(?:levels?|links?|hops?|clicks?|seconds?))\\b`,
      "giu",
    ),
    apply: (options, [, count]) => {
      options.limit = toNumber(count);
    },
  },
  {
    pattern: new RegExp(`\\b(?:wait|delay(?:\\s+of)?|pause)\\s+${NUMBER}\\s+seconds?\\b`, "giu"),
    apply: (options, [, count]) => {
      options.delay = toNumber(count);
    },
  },
  {
    pattern: /\b(?:whole|entire|full)\s+(?:domain|site|website)\b/giu,
    apply: (options) => void (options.crawlEntireDomain = true),
  },
  {
    pattern: /\b(?:includ\w+|with|and|follow\w*)\s+(?:all\s+|the\s+)?subdomains\b/giu,
    apply: (options) => void (options.allowSubdomains = true),
  },
  {
    pattern: /\b(?:includ\w+|with|and|follow\w*)\s+(?:all\s+|the\s+)?external\s+links\b/giu,
    apply: (options) => void (options.allowExternalLinks = true),
  },
  {
    pattern: /\b(?:only|just)\s+(?:use\s+)?(?:the\s+)?sitemap\b/giu,
    apply: (options) => void (options.sitemap = "only"),
  },
  {
    pattern: /\b(?:skip|ignore|without)\s+(?:the\s+)?sitemap\b/giu,
    apply: (options) => void (options.sitemap = "skip"),
  },
  {
    pattern: /\bignor\w+\s+(?:the\s+)?query\s+(?:parameters|strings?)\b/giu,
    apply: (options) => void (options.ignoreQueryParameters = true),
  },
];

/** Reads options out of a prompt by rules; `isUnderstood` is false when no rule found anything. */
export function readCrawlPrompt(prompt: string): { options: PromptedOptions; isUnderstood: boolean } {
  const options: PromptedOptions = {};
  for (const { pattern, apply } of RULES) {
    for (const found of prompt.matchAll(pattern)) apply(options, found);
  }
  return { options, isUnderstood: Object.keys(options).length > 0 };
}

function addPaths(options: PromptedOptions, list: "includePaths" | "excludePaths", text: string): void {
  const parts = text
    .toLowerCase()
    .split(/\s*(?:,|\band\b|\bor\b)\s*(?:the\s+)?/u)
    .map((part) => part.trim().replace(/^\/|\/$/g, ""))
    .filter((part) => part !== "" && !NO_PART.has(part) && !/^\d+$/.test(part) && !(part in NUMBERS));
  if (parts.length === 0) return;
  options[list] = [...new Set([...(options[list] ?? []), ...parts.map((part) => `^/${part}(/|$)`)])];
}

function toNumber(text: string | undefined): number {
  return NUMBERS[text?.toLowerCase() ?? ""] ?? Number(text);
}
