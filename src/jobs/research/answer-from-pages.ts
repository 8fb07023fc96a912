import type { AnswerKind } from "../../content/answers/answer-kind.ts";
import { findAnswer } from "../../content/answers/find-answer.ts";
import type { FoundAnswer } from "../../content/answers/found-answer.ts";
import { readQuestion, type AskedQuestion } from "../../content/answers/read-question.ts";
import { missingWords } from "../../content/answers/subject-words.ts";
import { holdsKind } from "../../content/answers/value-kinds.ts";
import { nextTurn } from "../../core/in-turns.ts";
import { isStopWord } from "../../core/search/stop-words.ts";
import { foldText } from "../../core/search/words.ts";
import { isSameSite } from "../../core/url/registrable-domain.ts";
import { quotedAnswer, sourceList } from "./quoted-answer.ts";
import type { ReadPage } from "./read-page.ts";
import { safeText } from "./safe-text.ts";

/** An answer by rules, with the pages that it is based on. */
export interface PagesAnswer {
  /** The value and the text that states it, or quotes; a sentence that begins with `Not found` when there is none. */
  text: string;
  sources: string[];
  /** `unsure`: pages of equal rank state different values. */
  outcome: "found" | "unsure" | "not_found";
  /** True when the question asks for a value, not for passages. */
  isValue: boolean;
}

interface Finding {
  page: ReadPage;
  answer: FoundAnswer;
  rank: number;
}

const NOTHING = "Nothing was found that answers this.";
const KIND_WORDS: Readonly<Record<AnswerKind, string>> = {
  price: "a price",
  date: "a date or time",
  name: "a name",
  number: "a number",
  "yes-no": "yes or no",
  place: "a place",
  email: "an e-mail address",
  phone: "a phone number",
  summary: "a summary",
  passage: "a passage",
};
const MAX_QUOTE_CHARS = 420;
/** Longer pages are searched in pieces of whole lines, of which the first that states the value counts. */
const PIECE_CHARS = 200_000;

/**
 * Answers a question from several pages. A question for a value gets the value that the best page states: pages of the
 * given sites first, then pages whose title or address has the names of the question. Different values on pages of
 * equal rank are reported as such. A question for a value that no page states gets no quote of something near.
 * Lets other requests run between two pages.
 */
export async function answerFromPages(
  pages: readonly ReadPage[],
  prompt: string,
  given: readonly string[] = [],
): Promise<PagesAnswer> {
  const question = readQuestion(prompt);
  const isValue = asksForValue(question);
  if (!isValue) return await fromPassages(pages, prompt);
  const found: Finding[] = [];
  for (const page of pages) found.push(...(await findingOf(page, { question, given })));
  const findings = found.toSorted((one, other) => other.rank - one.rank);
  const [best] = findings;
  if (best === undefined) {
    const read = pages.length === 1 ? "The page that was read does" : `The ${pages.length} pages that were read do`;
    const text = pages.length === 0 ? NOTHING : `Not found: ${read} not state ${KIND_WORDS[question.kind]} for this.`;
    return { text, sources: [], outcome: "not_found", isValue };
  }
  const rivals = findings.filter(({ rank, answer }) => rank === best.rank && !isSame(answer, best.answer));
  if (rivals.length > 0) return disagreement([best, ...rivals]);
  const { url } = best.page;
  const quote = quoteOf(best);
  const stated = `${best.answer.value} [1]`;
  const text = [stated, ...(quote === best.answer.value ? [] : [`“${quote}” [1]`]), sourceList([url])].join("\n\n");
  return { text, sources: [url], outcome: "found", isValue };
}

/** Reports whether a question asks for a value, not for passages. */
export function asksForValue({ kind }: Pick<AskedQuestion, "kind">): boolean {
  return kind !== "passage" && kind !== "summary";
}

async function fromPassages(pages: readonly ReadPage[], prompt: string): Promise<PagesAnswer> {
  const { text, sources } = await quotedAnswer(pages, prompt);
  if (text === "") return { text: NOTHING, sources, outcome: "not_found", isValue: false };
  return { text: `${text}\n\n${sourceList(sources)}`, sources, outcome: "found", isValue: false };
}

/** The finding of each page for the last question: a run asks the same one after each round of pages. */
const FINDINGS = new WeakMap<ReadPage, { asked: string; found: Finding[] }>();

async function findingOf(
  page: ReadPage,
  { question, given }: { question: AskedQuestion; given: readonly string[] },
): Promise<Finding[]> {
  const asked = JSON.stringify([question.text, given]);
  const known = FINDINGS.get(page);
  if (known?.asked === asked) return known.found;
  const text = await safeText(page);
  let found: Finding[] = [];
  let end = 0;
  do {
    const start = end;
    end = endOfPiece(text, start);
    found = searchPage(page, text.slice(start, end), { question, given });
    await nextTurn();
  } while (found.length === 0 && end < text.length);
  FINDINGS.set(page, { asked, found });
  return found;
}

/** Returns the end of the last line that is within a piece; a longer line is cut. */
function endOfPiece(text: string, start: number): number {
  const most = start + PIECE_CHARS;
  if (most >= text.length) return text.length;
  const line = text.lastIndexOf("\n", most);
  return line > start ? line + 1 : most;
}

function searchPage(
  page: ReadPage,
  markdown: string,
  { question, given }: { question: AskedQuestion; given: readonly string[] },
): Finding[] {
  const found = findAnswer(question, { title: page.title, url: page.url, markdown });
  if (found === undefined || (found.kind === "number" && holdsKind("price", found.value))) return [];
  const answer = withUnit(found);
  const head = `${page.title} ${page.url.replaceAll(/[-_/.]/g, " ")}`;
  const isGiven = given.some((url) => isOfSite(page.url, url));
  const isNamed = question.names.length > 0 && missingWords(head, question.names).length === 0;
  // `23 rooms` counts the rooms; another number in a sentence about rooms does not.
  const isCounted = answer !== found && missingWords(answer.value, question.subject).length < question.subject.length;
  const rank = (isGiven ? 8 : 0) + (isNamed ? 4 : 0) + (isCounted ? 2 : 0) + (answer.source === "label" ? 1 : 0);
  return [{ page, answer, rank }];
}

/** Adds the unit to a number that a sentence states: `35 minutes`. */
function withUnit(answer: FoundAnswer): FoundAnswer {
  const { kind, value, quote } = answer;
  const at = kind === "number" ? quote.indexOf(value) : -1;
  const unit = at < 0 ? undefined : /^\s?(?:[%°]\p{L}?|\p{L}+(?:\/\p{L}+)?)/u.exec(quote.slice(at + value.length))?.[0];
  return unit === undefined || isStopWord(foldText(unit.trim())) ? answer : { ...answer, value: `${value}${unit}` };
}

function isOfSite(url: string, given: string): boolean {
  const site = given.replace(/\*$/, "");
  const address = /^https?:\/\//i.test(site) ? site : `https://${site}`;
  return URL.canParse(address) && URL.canParse(url) && isSameSite(new URL(address), new URL(url));
}

/** Reports whether two answers are the same value, or one is the other with more precision: `2026` and `3 May 2026`. */
function isSame({ value: one }: FoundAnswer, { value: other }: FoundAnswer): boolean {
  const [left, right] = [plain(one), plain(other)];
  return left === right || ` ${left} `.includes(` ${right} `) || ` ${right} `.includes(` ${left} `);
}

function plain(value: string): string {
  return foldText(value)
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

function disagreement(findings: readonly Finding[]): PagesAnswer {
  const different = findings.filter(
    ({ answer }, index) => findings.findIndex((other) => isSame(other.answer, answer)) === index,
  );
  const sources = [...new Set(different.map(({ page }) => page.url))];
  const lines = different.map(({ answer, page }) => `- ${answer.value} [${sources.indexOf(page.url) + 1}]`);
  const text = ["The pages that were read state different values:", lines.join("\n"), sourceList(sources)];
  return { text: text.join("\n\n"), sources, outcome: "unsure", isValue: true };
}

/** Returns the line of the page with the value: a label's value alone does not show its label. */
function quoteOf({ answer: { value, quote }, page }: Finding): string {
  if (quote !== value) return quote.slice(0, MAX_QUOTE_CHARS);
  const lines = page.markdown.split("\n").map((line) => line.trim());
  const line = lines.find((each) => each.includes(value) && each !== value && each.length <= MAX_QUOTE_CHARS);
  return line ?? value;
}
