import type { Filled } from "../../content/structured-data/schema/fill-schema.ts";
import { askedPageOf, type PageView } from "../../content/page-view.ts";
import { uniqueParts } from "../../content/page-parts.ts";
import { readPart } from "../../content/read-part.ts";
import { redactPii, type RuledEntity } from "../../content/text/pii/redact-pii.ts";
import type { RunTextTask } from "../../content/text-tasks/text-tasks.ts";
import type { ScrapeDocument } from "../../core/scrape/document.ts";
import { formatFor } from "../../formats/index.ts";
import type { ScrapePlan } from "./scrape-plan.ts";

/** Fields of a document that contain no text of the page, or that are parts of the redacted Markdown. */
const KEPT = new Set(["screenshot", "rawBase64", "chunks"]);
/** Output of actions that is a list of URLs of this service. */
const KEPT_OF_ACTIONS = new Set(["pdfs", "screenshots"]);
/** Kinds of data that the rules of each entity find. */
const FOUND_BY_RULES: Readonly<Record<RuledEntity, string[]>> = {
  EMAIL: ["e-mail addresses"],
  PHONE: ["phone numbers"],
  FINANCIAL: ["bank accounts", "cards"],
  SECRET: ["keys"],
};
const BEYOND_RULES = "names of people and places, and what pictures show, were not";

/** Removes personal data from a page before formats are derived, and from the derived document. */
export interface Redaction {
  view: PageView;
  apply(document: ScrapeDocument): Promise<void>;
  warning: string;
}

/**
 * Redacts the texts of a page that its formats read; other texts when they are read.
 * @returns undefined when redaction was not requested.
 * @throws AppError `SCRAPE_WORK_LIMIT` when the budget of the page is spent.
 */
export async function redactionOf(
  { redaction, open, formats }: ScrapePlan,
  view: PageView,
  runTask: RunTextTask,
): Promise<Redaction | undefined> {
  if (redaction === undefined) return undefined;
  const country = redaction.country ?? (redaction.isAggressive ? (ownCountryOf(view) ?? "US") : countryOf(view));
  const options = { ...redaction, country };
  const done = new Map<string, string>();
  /** Redacts all texts at once: large ones in another isolate. */
  const prepare = async (change: (redact: (text: string) => string) => unknown): Promise<void> => {
    const texts = textsOf(change).filter((text) => !done.has(text));
    const redacted = await runTask("redact", { texts, options }, view.budget);
    for (const [index, text] of texts.entries()) done.set(text, redacted[index] ?? "");
  };
  const redact = (text: string): string => {
    const known = done.get(text) ?? redactPii(text, options, view.budget);
    done.set(text, known);
    return known;
  };
  const redactMetadata = <Fields extends Record<string, unknown>>(metadata: Fields): Fields => {
    const fields = Object.entries(metadata).map(([name, value]) => [
      name,
      OF_THE_SCRAPE.has(name) ? value : redactAll(value, redact),
    ]);
    // Only texts change, and they remain texts.
    return Object.fromEntries(fields) as Fields;
  };
  if (!open.bytesOnly) {
    const parts = uniqueParts(open.parts ?? []).filter(({ name }) => READ_BY_FORMATS.has(name));
    const source = formats.some((request) => formatFor(request.type).readsSource?.(request) === true)
      ? await view.rawText()
      : "";
    const values = [source, view.metadata(), ...parts.map((part) => readPart(view, part))];
    await prepare((change) => redactAll(values, change));
  }
  const markdown: PageView["markdown"] = (asked) => {
    const text = view.markdown(asked);
    return redact(done.has(text) ? text : text.slice(0, asked.maxChars));
  };
  // Models and change histories see no more than the caller.
  const redacted: PageView = {
    ...view,
    markdown,
    html: () => redact(view.html()),
    rawText: async () => redact(await view.rawText()),
    metadata: () => redactMetadata(view.metadata()),
    fill: (schema) => redactAll(view.fill(schema), redact) as Filled,
    structured: undefined,
  };
  // A value alone, such as a number beside `telephone`, no longer shows what it is: answers come from redacted text only.
  const answer: PageView["answer"] = (question) =>
    runTask("answer", { ...askedPageOf(redacted), question }, view.budget);
  return {
    view: { ...redacted, answer },
    async apply(document) {
      const { metadata, ...fields } = document;
      await prepare((change) => [redactFields(fields, change), redactAll(metadata, change)]);
      Object.assign(document, redactFields(fields, redact));
      Object.assign(metadata, redactMetadata(metadata));
    },
    warning: warningOf(redaction.entities),
  };
}

/** Returns the warning that names what was searched for, and what rules cannot find. */
function warningOf(entities: readonly string[]): string {
  const kinds = Object.entries(FOUND_BY_RULES).flatMap(([entity, words]) => (entities.includes(entity) ? words : []));
  const listed = [kinds.slice(0, -1).join(", "), ...kinds.slice(-1)].filter((part) => part !== "").join(" and ");
  return `redactPII: ${listed === "" ? "nothing was" : `${listed} were`} redacted by rules; ${BEYOND_RULES}.`;
}

/** Parts of the page that the redacted page has too. */
const READ_BY_FORMATS: ReadonlySet<string> = new Set(["markdown", "html", "fill"]);

/** Returns the texts that a change would redact, each once. */
function textsOf(change: (redact: (text: string) => string) => unknown): string[] {
  const texts = new Set<string>();
  change((text) => {
    texts.add(text);
    return text;
  });
  return [...texts];
}

/** Metadata that the scrape itself sets. */
const OF_THE_SCRAPE = new Set([
  "sourceURL", "url", "contentType", "cachedAt", "scrapeId", "timezone", "engine", "attempts", "egressRoute",
]); // prettier-ignore

function redactAll(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((inner) => redactAll(inner, redact));
  if (typeof value !== "object" || value === null) return value;
  return redactExcept(value, NOTHING_KEPT, redact);
}

const NOTHING_KEPT: ReadonlySet<string> = new Set();

/** Redacts a document without its metadata. Names are those of the document here, and the page's own further within. */
function redactFields(
  { actions, ...fields }: Omit<ScrapeDocument, "metadata">,
  redact: (text: string) => string,
): Record<string, unknown> {
  const redacted = redactExcept(fields, KEPT, redact);
  return actions === undefined ? redacted : { ...redacted, actions: redactExcept(actions, KEPT_OF_ACTIONS, redact) };
}

function redactExcept(
  value: object,
  kept: ReadonlySet<string>,
  redact: (text: string) => string,
): Record<string, unknown> {
  const fields = Object.entries(value).map(([name, inner]) => [
    name,
    kept.has(name) ? inner : redactAll(inner, redact),
  ]);
  return Object.fromEntries(fields) as Record<string, unknown>;
}

/** Top-level domains of two letters that sites everywhere use, or that are of no single country. */
const GENERAL_DOMAINS = new Set([
  "ac", "ad", "ag", "ai", "as", "bz", "cc", "cd", "co", "dj", "eu", "fm", "gg", "gl", "io", "la", "ly", "me", "ms", "nu",
  "sc", "sh", "so", "sr", "st", "su", "tk", "to", "tv", "vc", "ws",
]); // prettier-ignore
/** Names of sites that a registry gives to its own country, such as `com.co`. */
const NATIONAL_NAME = /\.(?:com|edu|gob|gov|net|nom|org)\.[a-z]{2}$/;

/** Returns the country of a page: by its language's region, or by its host's top-level domain. */
function countryOf(view: PageView): string | undefined {
  return regionOf(view) ?? domainCountryOf(hostOf(view));
}

/** Returns the country of a page as `countryOf` does; undefined where the top-level domain does not tell it for certain. */
function ownCountryOf(view: PageView): string | undefined {
  const host = hostOf(view);
  const isGeneral = GENERAL_DOMAINS.has(host.slice(-2)) && !NATIONAL_NAME.test(host);
  return regionOf(view) ?? (isGeneral ? undefined : domainCountryOf(host));
}

function regionOf(view: PageView): string | undefined {
  const language = view.metadata()["language"];
  return typeof language === "string" ? /^[a-z]{2,3}[-_]([a-z]{2})\b/i.exec(language)?.[1] : undefined;
}

function hostOf({ loaded }: PageView): string {
  return URL.parse(loaded.url)?.hostname ?? "";
}

function domainCountryOf(host: string): string | undefined {
  const domain = /\.([a-z]{2})$/.exec(host)?.[1];
  return domain === "uk" ? "GB" : domain;
}
