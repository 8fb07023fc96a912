/** A word, or a phrase whose words must appear in this order. */
export interface SearchTerm {
  text: string;
  isPhrase: boolean;
}

/** A parsed query; all fields in lower case except the text of the terms. */
export interface SearchTerms {
  /** Every group must match; a group matches when one of its terms does. */
  groups: SearchTerm[][];
  excluded: SearchTerm[];
  /** Hosts, or hosts with the beginning of a path: `example.com`, `example.com/docs`. */
  sites: string[];
  excludedSites: string[];
  fileTypes: string[];
}

const TOKEN = /(-?)(?:(site|filetype|ext):)?(?:"([^"]*)"?|([^\s"()]+))/gi;

/**
 * Parses the common search operators: phrases in quotes, `site:`, `-site:`, `filetype:`, `-word` and `OR`.
 * Text that is no valid operator counts as a word.
 */
export function parseSearchQuery(query: string): SearchTerms {
  const terms: SearchTerms = { groups: [], excluded: [], sites: [], excludedSites: [], fileTypes: [] };
  let joinsNext = false;
  for (const [, minus, operator, quoted, bare] of query.matchAll(TOKEN)) {
    const text = (quoted ?? bare ?? "").trim();
    if (text === "" || text === "-") continue;
    if (operator !== undefined) {
      addOperator(terms, { name: operator.toLowerCase(), isExcluded: minus === "-", text });
      joinsNext = false;
      continue;
    }
    if (quoted === undefined && minus === "" && (text === "OR" || text === "|")) {
      joinsNext = true;
      continue;
    }
    if (quoted === undefined && text === "AND") continue;
    const term = { text, isPhrase: quoted !== undefined };
    const last = terms.groups.at(-1);
    if (minus === "-") terms.excluded.push(term);
    else if (joinsNext && last !== undefined) last.push(term);
    else terms.groups.push([term]);
    joinsNext = false;
  }
  return terms;
}

function addOperator(
  terms: SearchTerms,
  { name, isExcluded, text }: { name: string; isExcluded: boolean; text: string },
): void {
  if (name === "site") (isExcluded ? terms.excludedSites : terms.sites).push(toSite(text));
  else if (!isExcluded) terms.fileTypes.push(text.toLowerCase().replace(/^\./, ""));
}

/** Normalizes a site to the form of `SearchTerms.sites`: the host in Punycode, the path percent-encoded, as in URLs. */
export function toSite(text: string): string {
  const plain = text
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, "")
    .replace(/^\*?\./, "");
  const [written = "", ...path] = plain.split("/");
  const url = URL.parse(`http://${written}/${path.join("/")}`);
  const host = url?.host ?? written;
  const folder = foldPath(url?.pathname.slice(1) ?? path.join("/")).replace(/\/$/, "");
  const bareHost = host.startsWith("www.") ? host.slice(4) : host;
  return folder === "" ? bareHost : `${bareHost}/${folder}`;
}

/** Returns a path of a URL in lower case, also where the letters are percent-encoded. */
function foldPath(path: string): string {
  const lower = path.replace(/(?:%[89a-f][\da-f])+/gi, decoded).toLowerCase();
  return lower.replace(/[^\0-\x7f]+/g, (letters) => encodeURIComponent(letters.toWellFormed()).toLowerCase());
}

function decoded(escapes: string): string {
  try {
    return decodeURIComponent(escapes);
  } catch {
    return escapes;
  }
}

/** Returns the query without operators, for sources that support none. */
export function plainWords({ groups }: SearchTerms): string {
  return groups.flatMap((group) => group.map(({ text }) => text)).join(" ");
}

/** Reports whether a URL is on one of the sites or below one of them. */
export function isOnSite(url: string, sites: readonly string[]): boolean {
  const parsed = URL.parse(url);
  if (parsed === null) return false;
  const host = parsed.host.toLowerCase();
  const bareHost = host.startsWith("www.") ? host.slice(4) : host;
  return sites.some((site) => {
    const slash = site.indexOf("/");
    const siteHost = slash < 0 ? site : site.slice(0, slash);
    const isHost = bareHost === siteHost || bareHost.endsWith(`.${siteHost}`) || parsed.hostname === siteHost;
    if (!isHost || slash < 0) return isHost;
    const folder = foldPath(site.slice(slash));
    const path = foldPath(parsed.pathname);
    return path === folder || path.startsWith(`${folder}/`) || path.startsWith(`${folder}.`);
  });
}
