import { isStopWord } from "../../core/search/stop-words.ts";
import { wordsOf } from "../../core/search/words.ts";
import { MAX_CRAWL_PAGES } from "./crawl-body.ts";
import { isNumber, NUMBER, NUMBER_WORDS, toNumber } from "./prompt-numbers.ts";

/** Crawl options that a prompt can express. */
export interface PromptedOptions {
  includePaths?: string[];
  excludePaths?: string[];
  maxDiscoveryDepth?: number;
  crawlEntireDomain?: boolean;
  allowExternalLinks?: boolean;
  allowSubdomains?: boolean;
  sitemap?: "skip" | "include" | "only";
  ignoreQueryParameters?: boolean;
  deduplicateSimilarURLs?: boolean;
  delay?: number;
  limit?: number;
}

/** Words that name no part of a site. */
const NO_PART = new Set([
  "the", "a", "an", "all", "any", "every", "everything", "page", "pages", "part", "section", "sections", "site", "website",
  "query", "robots", "external", "follow", "crawl", "scrape", "visit", "go", "leave", "load", "include", "including", "anything", "nothing", "duplicates", "images", "first", "up", "links", "sitemap", "subdomains", "domain", "content", "of", "to", "from", "with", "that", "this", "me",
]); // prettier-ignore

/** Words that name a part of a site in front of “section”, and are verbs otherwise. */
const PART_OR_VERB = new Set(["get", "getting", "fetch", "fetching", "crawling", "scraping", "visiting", "loading"]);

/** Words that name a part of a site in front of “section”, and compare otherwise. */
const COMPARISONS = ["more", "less", "fewer", "than"];

/** Words that a prompt may contain without asking for anything. */
const PLAIN_WORDS = new Set([
  ...NO_PART, ...PART_OR_VERB, ...NUMBER_WORDS,
  "only", "just", "but", "then", "also", "please", "want", "need", "like", "start",
  "here", "them", "it", "too", "well", "limit", "depth", "parameters",
]); // prettier-ignore

/** A word that negates the rest of its sentence, or the end of a sentence. */
const NEGATION_OR_END = /\b(?:not|never|no|without|don['’]?t|skip|exclude|excluding|ignore|avoid)\b|[,.;:!?\n]/giu;

interface Rule {
  pattern: RegExp;
  /**
   * `isNegated` is true when the preceding words negate the phrase.
   * @returns false for a phrase that the rule does not cover, or words of the phrase, in lower case, that it does not cover
   */
  apply(options: PromptedOptions, found: RegExpMatchArray, isNegated: boolean): false | readonly string[] | undefined;
}

const NAME = "/?[\\p{L}\\d_-]+(?:/[\\p{L}\\d_-]+)*/?";
/**
 * A list continues with names that no other word follows: “the blog, limit 50” has one part, “the blog, the shop” two.
 */
const ENDS = "(?=\\s*(?:$|[,.;:!?\\n]|(?:and|or|but|pages?|sections?|parts?)\\b))";
const PAGES = "(?:pages?|urls?|documents?|results?)\\b";
/** A list does not continue with a comparison: “the blog, fewer pages” has one part. */
const NO_COMPARISON = `(?!(?:${COMPARISONS.join("|")})(?![\\p{L}\\d_/-])(?!\\s+(?:sections?|parts?)\\b))`;
/** Has two groups: the names, and the word “section” after them. A number of pages is no part. */
const PART = `(?!(?:more|less|fewer)\\s+(?:than\\b|${PAGES}))((?:${NAME})(?:\\s*(?:,|and|or)\\s*(?:the\\s+)?${NO_COMPARISON}${NAME}${ENDS})*)(\\s+(?:sections?|parts?)\\b)?`;

/** Phrases in front of the largest number of pages. */
const AT_MOST = "limit(?:ed)?(?:\\s+(?:of|to))?|at\\s+most|up\\s+to|no\\s+more\\s+than|maximum(?:\\s+of)?|max|first";
const LOAD = "(?:crawl(?:ing)?|visit(?:ing)?|load(?:ing)?|fetch(?:ing)?|scrap(?:e|ing)|get(?:ting)?)";
const NOT_MORE = `(?:not|never|(?:not|never|don['’]?t|without|avoid)\\s+${LOAD})\\s+more`;
const ONE_OF_NUMBER_WORDS = `(?:${NUMBER_WORDS.join("|")})\\b`;
/** Comparisons are also about other things than pages: the word after the number is one for pages, or begins another phrase. */
const OF_PAGES = `(?=\\s+${PAGES}|\\s*(?:$|[,.;:!?\\n]|\\b(?:and|or|but|then)\\b(?!\\s+${ONE_OF_NUMBER_WORDS})))`;
/** A phrase about a number that no rule has read. */
const UNREAD_NUMBER = new RegExp(
  `\\b(?:${AT_MOST}|(?:(?:not?|never)\\s+)?(?:more|less|fewer)\\s+than)\\s+(?:\\p{Sc}?\\d(?:[\\p{L}\\d.,'’%-]*[\\p{L}\\d%])?|${ONE_OF_NUMBER_WORDS})(?:\\s+[\\p{L}\\d]+)?`,
  "giu",
);

/** Rules for English phrases, matched anywhere in the prompt. Each takes time linear in the prompt. */
const RULES: readonly Rule[] = [
  {
    pattern: new RegExp(
      `\\b(?:skip|exclude|ignore|without|except|avoid|not)\\s+(?:for\\s+)?(?:the\\s+|any\\s+|all\\s+)?${PART}`,
      "giu",
    ),
    apply: (options, [, names = "", section]) => addPaths(options, "excludePaths", { names, section }),
  },
  {
    pattern: new RegExp(
      `\\b(?:only|just)\\s+(?:the\\s+|crawl\\s+|scrape\\s+|get\\s+|include\\s+|pages\\s+(?:in|under|below|of)\\s+){0,3}${PART}`,
      "giu",
    ),
    apply: (options, [, names = "", section]) => addPaths(options, "includePaths", { names, section }),
  },
  {
    pattern: new RegExp(
      `\\b(?:(?:no\\s+more|${NOT_MORE})\\s+than\\s+)?${NUMBER}\\s+(?:levels?|links?|hops?|clicks?)\\s+(?:deep|away|down)\\b|\\bdepth\\s+(?:of\\s+)?${NUMBER}\\b`,
      "giu",
    ),
    apply: (options, [, before, after]) => {
      options.maxDiscoveryDepth = toNumber(before ?? after);
    },
  },
  {
    pattern: new RegExp(`\\b(?:${AT_MOST})\\s+${NUMBER}(?!\\s+(?:levels?|links?|hops?|clicks?|seconds?))\\b`, "giu"),
    apply: (options, [, count]) => {
      options.limit = Math.min(toNumber(count), MAX_CRAWL_PAGES);
    },
  },
  {
    pattern: new RegExp(`\\b(?:${NOT_MORE}|(less|fewer))\\s+than\\s+${NUMBER}${OF_PAGES}`, "giu"),
    apply: (options, [, less, count], isNegated) => {
      // “no less than” is about a lowest number of pages.
      if (less !== undefined && isNegated) return false;
      options.limit = Math.min(toNumber(count) - (less === undefined ? 0 : 1), MAX_CRAWL_PAGES);
      return undefined;
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
    apply: (options, _found, isNegated) => void (options.crawlEntireDomain = !isNegated),
  },
  {
    pattern: /\b(?:includ\w+|with|and|follow\w*)\s+(?:all\s+|any\s+|the\s+)?subdomains\b/giu,
    apply: (options, _found, isNegated) => void (options.allowSubdomains = !isNegated),
  },
  {
    pattern: /\b(?:includ\w+|with|and|follow\w*)\s+(?:all\s+|any\s+|the\s+)?external\s+links\b/giu,
    apply: (options, _found, isNegated) => void (options.allowExternalLinks = !isNegated),
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

/** Result of reading a prompt by rules. */
export interface ReadPrompt {
  options: PromptedOptions;
  /** Parts of the prompt that ask for something that no rule covers, quoted from the prompt. */
  notUnderstood: string[];
}

/** Reads crawl options from a prompt by rules. */
export function readCrawlPrompt(prompt: string): ReadPrompt {
  const options: PromptedOptions = {};
  const negated = negatedPlaces(prompt);
  let rest = prompt;
  for (const { pattern, apply } of RULES) {
    for (const found of prompt.matchAll(pattern)) {
      const left = apply(options, found, negated[found.index] === 1);
      if (left !== false) rest = blanked(rest, found, left);
    }
  }
  const numbers = [...rest.matchAll(UNREAD_NUMBER)];
  for (const found of numbers) rest = blanked(rest, found);
  return { options, notUnderstood: [...numbers.map(([phrase]) => phrase), ...meaningfulParts(rest)] };
}

/** Returns 1 for each place of a text that a word before it in the same sentence negates, and 0 for the others. */
function negatedPlaces(text: string): Uint8Array {
  const negated = new Uint8Array(text.length);
  let [isNegated, start] = [0, 0];
  for (const { 0: mark, index } of text.matchAll(NEGATION_OR_END)) {
    const end = index + mark.length;
    negated.fill(isNegated, start, end);
    [isNegated, start] = [/\p{L}/u.test(mark) ? 1 : 0, end];
  }
  return negated.fill(isNegated, start);
}

/** Blanks a phrase of a text but for some words, in lower case. */
function blanked(text: string, { 0: phrase, index }: RegExpExecArray, left: readonly string[] = []): string {
  const blank = (word: string): string => (left.includes(word.toLowerCase()) ? word : ",".repeat(word.length));
  const end = index + phrase.length;
  return text.slice(0, index) + phrase.replace(/[\p{L}\d_/-]+|[^\p{L}\d_/-]+/gu, blank) + text.slice(end);
}

/** Returns the parts between punctuation that contain at least one meaningful word. */
function meaningfulParts(text: string): string[] {
  return text
    .split(/[,.;:!?\n]+|\b(?:and|but|then)\b/u)
    .map((part) => part.trim())
    .filter((part) => wordsOf(part).some((word) => !isStopWord(word) && !PLAIN_WORDS.has(word) && !/^\d+$/.test(word)));
}

/** @returns the comparisons among the names, which are no parts of the site */
function addPaths(
  options: PromptedOptions,
  list: "includePaths" | "excludePaths",
  { names, section }: { names: string; section: string | undefined },
): readonly string[] {
  const isComparison = (name: string): boolean => section === undefined && COMPARISONS.includes(name);
  const isNoPart = (name: string): boolean =>
    NO_PART.has(name) || isNumber(name) || (section === undefined && PART_OR_VERB.has(name)) || isComparison(name);
  const listed = names
    .toLowerCase()
    .replace(/\s+/g, " ")
    .split(/\s*(?:,|\band\b|\bor\b)\s*(?:the\s+)?/u)
    .map((name) => name.trim());
  const parts = listed.filter((name) => name !== "" && (name.startsWith("/") || !isNoPart(name)));
  if (parts.length > 0) {
    const patterns = parts.map((part) => `^/${part.replace(/^\/|\/$/g, "")}(/|$)`);
    options[list] = [...new Set([...(options[list] ?? []), ...patterns])];
  }
  return listed.filter(isComparison);
}
