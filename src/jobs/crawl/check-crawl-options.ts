import { isAppError } from "../../core/errors.ts";
import { isSameHost, isSameSite } from "../../core/url/registrable-domain.ts";
import { assertQuickToCompile, compilePatterns } from "../../core/text/safe-pattern.ts";
import { foldText } from "../../core/search/words.ts";
import { SHARED_CRAWL_FIELDS, SITEMAP_MODE } from "./crawl-body.ts";
import type { PromptedOptions } from "./crawl-prompt.ts";

const FIELDS = {
  maxDiscoveryDepth: SHARED_CRAWL_FIELDS.maxDiscoveryDepth,
  limit: SHARED_CRAWL_FIELDS.limit,
  crawlEntireDomain: SHARED_CRAWL_FIELDS.crawlEntireDomain,
  allowSubdomains: SHARED_CRAWL_FIELDS.allowSubdomains,
  allowExternalLinks: SHARED_CRAWL_FIELDS.allowExternalLinks,
  sitemap: SITEMAP_MODE.optional(),
  ignoreQueryParameters: SHARED_CRAWL_FIELDS.ignoreQueryParameters,
  deduplicateSimilarURLs: SHARED_CRAWL_FIELDS.deduplicateSimilarURLs,
  delay: SHARED_CRAWL_FIELDS.delay,
};
const MAX_PATTERNS = 50;

/** Words in prompts that refer to other sites and, below, to other hosts of the same site. Matched on folded text. */
const OTHER_SITES =
  /\b(?:extern\w*|outside|outbound|outgoing|third[- ]party|off-?site|other (?:web ?)?(?:sites|domains|hosts)|fremde\w*|ausserhalb|andere\w* (?:web ?)?seiten|autres sites|otros sitios|altri siti)\b|外部|他のサイト/;
const SUBDOMAINS = /\bsub-?dom\w*|\bsous-?domaines?\b|サブドメイン|子域/;
/** Begins at the first label only: a search from each label takes square time. */
const HOST = /(?<![a-z0-9-]|[a-z0-9-]\.)(?:[a-z0-9-]+\.)+[a-z]{2,}\b/g;

/**
 * Returns the usable part of the options that a model or rules derived from a prompt: values within their bounds, patterns that
 * compile and that match paths alone, and no host that the prompt does not mention.
 */
export function checkCrawlOptions(
  requested: Record<string, unknown>,
  { url, prompt, by }: { url: string; prompt: string; by: "the language model" | "the rules" },
): { options: PromptedOptions; problems: string[] } {
  const problems: string[] = [];
  const options: PromptedOptions = {};
  for (const [name, schema] of Object.entries(FIELDS)) {
    const value = requested[name];
    if (value === null || value === undefined) continue;
    const read = schema.safeParse(value);
    if (read.success) Object.assign(options, { [name]: read.data });
    else problems.push(`prompt: ${by} gave no usable ${name}, which was left out.`);
  }
  for (const field of ["includePaths", "excludePaths"] as const) {
    const paths = usablePatterns(requested[field], { field, url, problems });
    if (paths.length > 0) options[field] = paths;
  }
  const said = foldText(prompt);
  if (options.allowExternalLinks === true && !OTHER_SITES.test(said)) {
    delete options.allowExternalLinks;
    problems.push("prompt: it does not speak of other sites; send allowExternalLinks to have links to them followed.");
  }
  if (options.allowSubdomains === true && !SUBDOMAINS.test(said) && !namesHostOfSite(said, url)) {
    delete options.allowSubdomains;
    problems.push("prompt: it does not speak of subdomains; send allowSubdomains to have them crawled.");
  }
  return { options, problems };
}

interface PatternPlace {
  field: "includePaths" | "excludePaths";
  url: string;
  problems: string[];
}

function usablePatterns(value: unknown, { field, url, problems }: PatternPlace): string[] {
  const given = (Array.isArray(value) ? value : []).filter((pattern) => typeof pattern === "string");
  const usable = given.slice(0, MAX_PATTERNS).flatMap((pattern) => {
    const path = pathPattern(pattern.trim(), url);
    if (path === undefined) problems.push(`prompt: ${field} is about the paths of this site; ${pattern} was left out.`);
    return path === undefined || path === "" || !compiles([path], { field, problems }) ? [] : [path];
  });
  return compiles(usable, { field, problems }) ? usable : [];
}

/**
 * Converts a pattern that names the crawl's own host to one for the path after it.
 * @returns undefined for a pattern about another host.
 */
function pathPattern(pattern: string, url: string): string | undefined {
  const plain = pattern.replaceAll("\\/", "/").replaceAll("\\.", ".");
  const [, scheme = "", host = "", path = "/"] = /^\^?(https?\??:\/\/)?([^/]*)(\/.*)?$/.exec(plain) ?? [];
  if (isSameHost(host, new URL(url).host)) return `^${path}`;
  return scheme !== "" || plain.includes("://") ? undefined : pattern;
}

function compiles(patterns: string[], { field, problems }: Pick<PatternPlace, "field" | "problems">): boolean {
  try {
    assertQuickToCompile(patterns, field);
    compilePatterns(patterns, field);
    return true;
  } catch (error) {
    if (!isAppError(error)) throw error;
    problems.push(`prompt: ${error.message}; it was left out.`);
    return false;
  }
}

function namesHostOfSite(said: string, url: string): boolean {
  const site = new URL(url);
  const hosts = said.match(HOST) ?? [];
  return hosts.some((host) => !isSameHost(host, site.host) && isSameSite(new URL(`http://${host}`), site));
}
