import { isEmpty } from "../../content/structured-data/schema/merge-values.ts";
import { bestPassagesInTurns } from "../../content/text/passages.ts";
import { checkProvenanceInTurns } from "../../content/structured-data/evidence/provenance.ts";
import { AppError } from "../../core/errors.ts";
import { inTurns } from "../../core/in-turns.ts";
import type { Evidence } from "../../core/scrape/evidence.ts";
import type { JsonSchema } from "../../core/schema/json-schema.ts";
import { extractObject } from "../../formats/model/extract-object.ts";
import type { LanguageModel } from "../../ports/language-model.ts";
import { propertyNames } from "../extract/extract.ts";
import { toQuotedPage, type ReadPage } from "../research/read-page.ts";
import { safeText } from "../research/safe-text.ts";
import type { StepTools } from "../step-kind.ts";

const CHARS_OF_A_PAGE = 12_000;
const PASSAGES = 12;

interface Answering {
  pages: readonly ReadPage[];
  schema: JsonSchema;
  tools: StepTools;
  warnings: string[];
}

/** Extracts data by a schema from the pages that were read, each value with the passage that supports it. */
export async function structureAnswer(
  { prompt, systemPrompt }: { prompt: string; systemPrompt?: string | undefined },
  { pages, schema, tools, warnings }: Answering,
): Promise<{ data: unknown; evidence: Evidence[]; sources: string[] }> {
  const nothing = { data: {}, evidence: [], sources: [] };
  if (pages.length === 0) {
    warnings.push("No page could be read, so nothing was filled in.");
    return nothing;
  }
  const wanted = `${prompt} ${propertyNames(schema).join(" ")}`;
  const texts: string[] = [];
  for (const page of pages) texts.push(`${page.url}\n${page.title}\n${await shortened(page, wanted)}`);
  const text = texts.join("\n\n");
  try {
    const page = { text, title: prompt.slice(0, 200), url: pages[0]?.url ?? "" };
    const deadlineMs = tools.specification.deadlineMs;
    const { value, claims } = await extractObject(stepModel(tools), page, {
      schema,
      prompt,
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      candidates: undefined,
      deadlineMs,
    });
    if (isEmpty(value)) return nothing;
    const quoted = await Promise.all(pages.map(toQuotedPage));
    const evidence = await inTurns(checkProvenanceInTurns(value, claims, quoted));
    const sources = new Set(evidence.flatMap(({ url, unverified }) => (unverified === true ? [] : [url])));
    return { data: value, evidence, sources: [...sources] };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    warnings.push(`The schema could not be filled: ${error.message}`);
    return nothing;
  }
}

async function shortened(page: ReadPage, wanted: string): Promise<string> {
  const text = await safeText(page);
  if (text.length <= CHARS_OF_A_PAGE) return text;
  const passages = await bestPassagesInTurns(text, wanted, {
    count: PASSAGES,
    maxChars: CHARS_OF_A_PAGE / PASSAGES,
  });
  return passages.length === 0
    ? text.slice(0, CHARS_OF_A_PAGE)
    : passages
        .toSorted((left, right) => left.start - right.start)
        .map((passage) => passage.text)
        .join("\n[…]\n");
}

/** Returns a model whose answers are steps of the job: a request that was answered once is not sent again. */
function stepModel(tools: StepTools): LanguageModel {
  let number = 0;
  const never = (): never => {
    throw new Error("Objects are all that is asked for here");
  };
  return {
    names: tools.llm?.names ?? { large: "", small: "" },
    contextTokens: tools.llm?.contextTokens ?? 0,
    generateText: never,
    step: never,
    async generateObject(request) {
      const answer = await tools.generateObject(`answer ${number++}`, request);
      if (answer.kind === "failed") throw new AppError(answer.code, answer.message);
      return { value: answer.value, usage: { inputTokens: 0, outputTokens: 0 } };
    },
  };
}
