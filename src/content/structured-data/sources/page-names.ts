import { foldText } from "../../../core/search/words.ts";
import type { HtmlTree } from "../../html/tree/tree.ts";
import { decodeLetters } from "../../text/decode-letters.ts";
import { oneLine, textFact, type Fact } from "../facts.ts";

const PARTS = /(?<!\s)\s+[|–—·»•:-]{1,2}\s+/;
const LAST_PART = /(?<!\s)\s*[|–—·»•:-]{1,2}\s+/;
const MAX_HEADINGS = 20;
const MIN_SHARED_CHARS = 8;

/** Texts of the head that name a page and its site. */
interface HeadNames {
  /** Parts of `<title>`, in order. */
  parts: string[];
  ogTitle: string;
  siteName: string;
}

/**
 * Returns the names of the page and of its site. The title is the first heading that the head confirms; where the only
 * headings name the site or a box, it is the title that the head gives.
 */
export function readPageNames({ head }: Pick<HtmlTree, "head">, headings: readonly string[], baseUrl: string): Fact[] {
  const names = namesOfHead(head, baseUrl);
  const site = siteOf(names, baseUrl);
  const title = titleOf(names, { headings: headings.slice(0, MAX_HEADINGS), site, host: hostOf(baseUrl) });
  return [
    ...(title === undefined
      ? []
      : ["name", "title"].map((label): Fact => ({ label, value: textFact(title), source: "heading" }))),
    ...(site === "" || names.siteName !== ""
      ? []
      : [{ label: "site name", value: textFact(site), source: "meta" as const }]),
  ];
}

function namesOfHead({ title, metas }: HtmlTree["head"], baseUrl: string): HeadNames {
  const contentOf = (name: string): string =>
    readText(
      metas.find(({ property, name: called }) => (property ?? called ?? "").toLowerCase() === name)?.content ?? "",
    );
  const parts = readText(title)
    .split(PARTS)
    .map(oneLine)
    .filter((part) => part !== "");
  return { parts, ogTitle: contentOf("og:title"), siteName: readSiteName(contentOf("og:site_name"), baseUrl) };
}

/** Returns a text of the head in one line, without the line breaks and entities that sites escape twice. */
function readText(text: string): string {
  return decodeLetters(oneLine(text.replace(/<br\s*\/?>/gi, " ")));
}

/**
 * Returns the name in `og:site_name` without the slogan behind it, where the part before the slogan is in the host;
 * empty for an address.
 */
export function readSiteName(content: string, baseUrl: string): string {
  const line = oneLine(content).replace(/^[\s|–—·»•:-]+|(?<![\s|–—·»•:-])[\s|–—·»•:-]+$/g, "");
  if (/^(?:https?:\/\/|www\.)/i.test(line)) return "";
  const [first = ""] = line.split(/(?<!\s)\s+[|–—·»•-]\s/);
  return isInHost(first, baseUrl) ? first : line;
}

const MIN_SITE_CHARS = 3;

function isInHost(name: string, baseUrl: string): boolean {
  const squeezed = squeeze(name);
  return squeezed.length >= MIN_SITE_CHARS && squeeze(hostOf(baseUrl)).includes(squeezed);
}

function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host.replace(/^www\./, "") : "";
}

/** Returns the name of the site: as the page states it, or the part of the title that its host repeats. */
function siteOf({ parts, siteName }: HeadNames, baseUrl: string): string {
  if (siteName !== "") return siteName;
  return (
    parts
      .slice(1)
      .toReversed()
      .find((part) => isInHost(part, baseUrl)) ?? ""
  );
}

function titleOf(
  names: HeadNames,
  { headings, site, host }: { headings: readonly string[]; site: string; host: string },
): string | undefined {
  const sites = [site, host].map(squeeze).filter((name) => name !== "");
  const own = new Set([squeeze(site), ...host.split(".").slice(0, -1).map(squeeze)]);
  const texts = headings.filter(
    (text) => text !== "" && !own.has(squeeze(text)) && !text.includes("{{") && !isSiteAtEnd(text, names.parts, own),
  );
  const confirmed =
    texts.find((text) => names.ogTitle !== "" && agrees(text, names.ogTitle)) ??
    texts.find((text) => isConfirmed(text, names, own));
  if (confirmed !== undefined) return withoutLead(confirmed, names);
  const whole = squeeze(names.parts.join(""));
  const hasOwn = names.ogTitle !== "" && squeeze(names.ogTitle) !== squeeze(site) && squeeze(names.ogTitle) !== whole;
  const given = withoutSite(hasOwn ? names.ogTitle : (names.parts[0] ?? ""), sites) || undefined;
  // Where both titles of the head agree, a heading that they do not repeat is the site's or a part's.
  if (names.ogTitle !== "" && whole !== "" && (!hasOwn || whole.includes(squeeze(given ?? "")))) return given;
  // A heading that the head does not repeat is still the page's, unless it is the site's own or a box beside others.
  if (texts.length === 1 && headings.length === 1) return texts[0];
  return given ?? texts[0];
}

function isConfirmed(heading: string, { parts, ogTitle }: HeadNames, sites: ReadonlySet<string>): boolean {
  // `Site: title` begins with the site. With a title of the page itself, further parts are the site and its sections.
  if (ogTitle !== "" && squeeze(heading) + squeeze(ogTitle) === squeeze(parts.join(""))) return false;
  const own = (ogTitle === "" ? parts : parts.slice(0, 1)).filter((part) => !sites.has(squeeze(part)));
  return [parts.join(" "), ...own].some((name) => agrees(heading, name));
}

/** Reports whether a heading is the short last part of a title that does not begin with the site: the site's name. */
function isSiteAtEnd(heading: string, parts: readonly string[], sites: ReadonlySet<string>): boolean {
  const [first = "", ...others] = parts.map(squeeze);
  const last = others.at(-1);
  return last === squeeze(heading) && last.length < first.length && !sites.has(first);
}

const MAX_LEAD_CHARS = 12;

/** Returns a heading without a short lead before the title of the head: `Thread: Which pump?`. */
function withoutLead(heading: string, { parts: [title = ""] }: HeadNames): string {
  const lead = heading.length - title.length;
  return lead > 0 && lead <= MAX_LEAD_CHARS && title.length > lead && heading.endsWith(title) ? title : heading;
}

/** Reports whether two titles are the same, or one is a part of the other. */
function agrees(left: string, right: string): boolean {
  const [one, other] = [squeeze(left), squeeze(right)];
  if (one === "" || other === "") return false;
  if (one === other) return true;
  return Math.min(one.length, other.length) >= MIN_SHARED_CHARS && (other.includes(one) || one.includes(other));
}

/** Returns a title without the site, or its service, behind the last dash: `Free CRM- Zoho CRM` on Zoho. */
function withoutSite(title: string, sites: readonly string[]): string {
  const parts = title.split(LAST_PART);
  const words = (parts.at(-1) ?? "").split(/\s+/);
  const isSite = parts.length > 1 && sites.some((site) => isSiteName(words, site));
  return isSite
    ? oneLine(title.slice(0, title.lastIndexOf(parts.at(-1) ?? "")).replace(/(?<![\s|–—·»•:-])[\s|–—·»•:-]+$/, ""))
    : title;
}

/** Words after the name of a site that may still be its service: `Zoho CRM Support`. */
const MAX_SERVICE_WORDS = 2;

/** Reports whether a text is the name of a site, with or without its service. */
function isSiteName(words: readonly string[], site: string): boolean {
  return words.some((_, index) => {
    const rest = words.length - index - 1;
    return squeeze(words.slice(0, index + 1).join("")) === site && rest <= (site.length >= 4 ? MAX_SERVICE_WORDS : 0);
  });
}

function squeeze(text: string): string {
  return foldText(text).replace(/[^\p{L}\p{N}]+/gu, "");
}
