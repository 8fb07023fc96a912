import { foldText } from "../../../core/search/words.ts";
import type { FactRecord, StructuredData } from "../facts.ts";
import { labelOf } from "../sources/labels.ts";
import { candidatesOf, ORGANIZATION, type Candidate } from "./candidates.ts";
import type { Shape } from "./schema-shape.ts";

const WARES = /^Product/;
/** Marks a value that is about the site more than about the page. */
const OF_SITE = 0.85;
/** Marks a description that only repeats the name, as shops write it into their mark-up. */
const REPEATED_NAME = 0.85;
/** Number of times that a description may be longer than the name that it repeats. */
const MAX_REPETITION = 1.3;
const PICTURE_OF_SITE = 0.7;
const CONTACTS: ReadonlySet<string> = new Set(["organization", "address", "phone", "website", "location", "fax"]);

/** Returns the candidates of a page's subject and of the page itself, without those that are about something else. */
export function candidatesOfPage(
  shape: Extract<Shape, { kind: "object" }>,
  data: StructuredData,
  subject: readonly FactRecord[],
): Candidate[] {
  const title = titleOf(data);
  const ofSubject = subject.flatMap((record) => {
    const names = [nameOf(record), title].filter((name) => name !== "");
    const isSite = isOfSite(record, { title, baseUrl: data.baseUrl });
    return candidatesOf(record).map((candidate) => {
      if (repeatsName(candidate, names)) return { ...candidate, trust: candidate.trust * REPEATED_NAME };
      return isSite ? doubtOfSite(candidate) : candidate;
    });
  });
  const exclusions = [
    ...(subject[0]?.types.some((type) => WARES.test(type)) === true ? [isOfReviewOrShop] : []),
    ...(subject.length === 0 && listsWares(data) ? [isOfWare] : []),
    ...(isOfPublication(shape) ? [isLinkedEmail] : []),
    ...(isHome(data.baseUrl) ? [isBylineOfPart] : []),
  ];
  const ofPage = candidatesOf(data.page).filter((candidate) => !exclusions.some((excludes) => excludes(candidate)));
  return [...ofSubject, ...ofPage];
}

/** On the page of a product, a byline is that of a review, and a number in the text that of the shop. */
function isOfReviewOrShop({ own, source }: Candidate): boolean {
  return own.concepts[0] === "author" || (own.concepts[0] === "phone" && source === "text");
}

/** Reports whether the page has several products, none of which is its subject: its amounts are theirs. */
function listsWares({ records }: StructuredData): boolean {
  return records.filter(({ types }) => types.some((type) => WARES.test(type))).length > 1;
}

function isOfWare({ own, source }: Candidate): boolean {
  return own.concepts[0] === "price" && source !== "meta";
}

/** Reports whether a schema is that of a text with an author or a date, and asks for no contact of anyone. */
function isOfPublication({ properties }: Extract<Shape, { kind: "object" }>): boolean {
  const concepts = properties.map(({ name }) => labelOf(name).concepts);
  const isText = concepts.some(([concept]) => concept === "author" || concept === "published");
  return isText && !concepts.some(([concept = ""]) => CONTACTS.has(concept));
}

/** The address behind a link is usually that of the site, not that of a text's author. */
function isLinkedEmail({ own, value }: Candidate): boolean {
  return own.concepts[0] === "email" && value.kind === "text" && value.href?.startsWith("mailto:") === true;
}

function isHome(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && new URL(baseUrl).pathname === "/";
}

/** On the first page of a site, a byline is that of a post or of a guest. */
function isBylineOfPart({ own, source }: Candidate): boolean {
  return own.concepts[0] === "author" && (source === "markup" || source === "labels");
}

/** Reports whether a record is the organization that publishes the page, which is about something else. */
function isOfSite(record: FactRecord, { title, baseUrl }: { title: string; baseUrl: string }): boolean {
  if (!record.types.some((type) => ORGANIZATION.test(type))) return false;
  if (isHome(baseUrl)) return false;
  const name = nameOf(record);
  return name !== "" && title !== "" && !title.includes(name) && !name.includes(title);
}

function titleOf({ page }: StructuredData): string {
  const title = page.facts.find(({ label, source }) => label === "name" && source === "heading")?.value;
  return title?.kind === "text" ? foldText(title.text) : "";
}

function nameOf({ facts }: FactRecord): string {
  const name = facts.find(({ label }) => label === "name" || label === "headline")?.value;
  return name?.kind === "text" ? foldText(name.text) : "";
}

function repeatsName({ own, value }: Candidate, names: readonly string[]): boolean {
  if (own.concepts[0] !== "description" || value.kind !== "text") return false;
  const text = foldText(value.text);
  return names.some((name) => text.startsWith(name) && text.length <= name.length * MAX_REPETITION);
}

function doubtOfSite(candidate: Candidate): Candidate {
  const [concept] = candidate.own.concepts;
  if (concept === "description") return { ...candidate, trust: candidate.trust * OF_SITE };
  if (concept === "image" || candidate.own.phrase === "logo")
    return { ...candidate, trust: candidate.trust * PICTURE_OF_SITE };
  return candidate;
}
