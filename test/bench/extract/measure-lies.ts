import { runTextTaskHere } from "../../../src/content/text-tasks/text-tasks.ts";
import { openPage } from "../../../src/content/page-view.ts";
import { leavesOf } from "../../../src/content/structured-data/evidence/provenance.ts";
import { fieldName, type Evidence } from "../../../src/core/scrape/evidence.ts";
import { json } from "../../../src/formats/json.ts";
import type { LanguageModel } from "../../../src/ports/language-model.ts";
import { readFactPages } from "./fact-pages.ts";

export interface LieScore {
  page: string;
  lies: number;
  /** Quotes in the evidence that stand nowhere on the page. */
  fabricated: number;
  /** Lies that the evidence bears out. */
  believed: string[];
}

/** Has each page with known facts read by a model that makes up every value, and every other quote. */
export async function measureLies(): Promise<LieScore[]> {
  return await Promise.all(
    readFactPages().map(async ({ page, html: body, url, schema, facts }) => {
      const loaded = {
        engine: "fetch" as const, url, statusCode: 200, headers: {}, contentType: "text/html", body, warnings: [],
      }; // prettier-ignore
      const clean = { onlyMainContent: false, includeTags: [], excludeTags: [] };
      const view = await openPage(loaded, { clean, pdf: undefined, bytesOnly: false });
      const markdown = view.markdown({ removeBase64Images: true });
      const { evidence = [] } = await json.derive(
        view,
        { type: "json", schema, evidence: true },
        {
          removeBase64Images: true,
          llm: liar(facts, markdown),
          deadlineMs: Infinity,
          warn: () => undefined,
          refund: () => {},
          history: "none",
          task: runTextTaskHere,
          publish: async () => "",
        },
      );
      return { page, ...scoreOf(evidence, markdown + (await view.rawText())) };
    }),
  );
}

function scoreOf(evidence: readonly Evidence[], text: string): Omit<LieScore, "page"> {
  const fabricated = evidence.filter(({ quote }) => quote !== undefined && !text.includes(quote)).length;
  const believed = evidence.flatMap(({ field, unverified }) => (unverified === true ? [] : [field]));
  return { lies: evidence.length, fabricated, believed };
}

function liar(facts: unknown, markdown: string): LanguageModel {
  const usage = { inputTokens: 0, outputTokens: 0 };
  const never = (): never => {
    throw new Error("Only objects are asked for here");
  };
  const data = lie(facts);
  const evidence = leavesOf(data).map(({ path, value }, index) => ({
    field: fieldName(path),
    // Yes and no are borne out by any words of the page.
    quote: index % 2 === 0 || typeof value === "boolean" ? `As we always say: ${String(value)}` : markdown.slice(0, 80),
  }));
  return {
    names: { large: "liar", small: "liar" },
    contextTokens: 1_000_000,
    generateText: never,
    step: never,
    generateObject: async () => ({ value: { data, evidence }, usage }),
  };
}

/** The same shape with other values, which no page holds. */
function lie(fact: unknown): unknown {
  if (Array.isArray(fact)) return fact.map(lie);
  if (typeof fact === "string") return "Zyxwuv Qorbit";
  if (typeof fact === "number") return 918_273_645;
  if (typeof fact === "boolean") return !fact;
  return Object.fromEntries(Object.entries(Object(fact)).map(([name, value]) => [name, lie(value)]));
}
