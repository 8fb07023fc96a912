import type { Evidence } from "../../core/scrape/evidence.ts";
import type { AgentInput } from "./input.ts";
import { researchByModel } from "./research-by-model.ts";
import { structureAnswer } from "./structure-answer.ts";
import { gatherPages } from "../extract/gather-pages.ts";
import { explore } from "../research/explore.ts";
import { quotedAnswer, sourceList } from "../research/quoted-answer.ts";
import type { ReadPage } from "../research/read-page.ts";
import type { StepKind, StepTools } from "../step-kind.ts";

export interface AgentResult {
  /** Data that follows the schema, or `{ result, sources }`. */
  data: unknown;
  /** URLs of the pages that the answer is based on. */
  sources: string[];
  evidence?: Evidence[];
  /** Source of the answer: the name of a model, or `rules`. */
  model: string;
  warning?: string;
}

const NOTHING = "Nothing was found that answers this.";
const MAX_PAGES = 12;
const MAX_DEPTH = 2;
const BY_RULES = "agent: no language model is configured; the answer quotes the pages that were found.";

/** Searches, reads pages and follows their links until the prompt is answered, with a model or by rules alone. */
export const agent: StepKind<AgentInput, AgentResult> = {
  name: "agent",

  async run(input, tools) {
    if (tools.llm === undefined) return await runByRules(input, tools, [BY_RULES]);
    const research = await researchByModel(input, tools);
    if (research.kind === "failed") {
      const words = `agent: ${research.message}; the answer quotes the pages that were found.`;
      return await runByRules(input, tools, [words]);
    }
    const { text, pages, warnings } = research;
    if (input.schema === undefined) {
      const model = tools.llm.names.large;
      // A model that was stopped before it returned text has read pages nevertheless.
      if (text === "") return withWarning({ ...quoted(input.prompt, pages), model }, warnings);
      const sources = usedSources(text, pages);
      return withWarning({ data: { result: text, sources }, sources, model }, warnings);
    }
    const { data, evidence, sources } = await structureAnswer(input, { pages, schema: input.schema, tools, warnings });
    return withWarning({ data, sources, evidence, model: tools.llm.names.large }, warnings);
  },

  webhookData: ({ data }, creditsUsed) => ({ creditsUsed, data }),
};

async function runByRules(input: AgentInput, tools: StepTools, warnings: string[]): Promise<AgentResult> {
  let actions = 0;
  const tell = (action: string, about: unknown): Promise<void> =>
    tools.tell(`action ${actions++}`, "action", { action, input: about });
  const { pages, troubles } = await explore(
    {
      query: input.prompt,
      urls: input.urls,
      only: input.strictConstrainToURLs && input.urls.length > 0,
      schema: input.schema,
      maxPages: MAX_PAGES,
      maxDepth: MAX_DEPTH,
    },
    tools,
    {
      searched: (query) => tell("search", { query }),
      read: ({ url }) => tell("scrape", { url }),
    },
  );
  const all = [...warnings, ...troubles];
  if (input.schema !== undefined) {
    const { data, evidence, notes } = gatherPages(pages.map((page) => ({ ...page, warning: undefined })));
    const sources = [...new Set(evidence.flatMap(({ url, unverified }) => (unverified === true ? [] : [url])))];
    if (data === undefined) all.push(NOTHING);
    return withWarning({ data: data ?? {}, sources, evidence, model: "rules" }, [...all, ...notes]);
  }
  return withWarning({ ...quoted(input.prompt, pages), model: "rules" }, all);
}

/** Returns quotes from the pages, or a text that says that there are none. */
function quoted(prompt: string, pages: readonly ReadPage[]): Pick<AgentResult, "data" | "sources"> {
  const { text, sources } = quotedAnswer(pages, prompt);
  const result = text === "" ? NOTHING : `${text}\n\n${sourceList(sources)}`;
  return { data: { result, sources }, sources };
}

/** Returns the pages that the answer names; when it names none, all pages that were read. */
function usedSources(text: string, pages: readonly ReadPage[]): string[] {
  const urls = [...new Set(pages.map(({ url }) => url))];
  const written = new Set(text.match(/https?:\/\/[^\s<>"')\]]+/g)?.map(plain));
  const named = urls.filter((url) => written.has(plain(url)));
  return named.length > 0 ? named : urls;
}

function plain(url: string): string {
  return url.replace(/(?<![.,;:!?])[.,;:!?]+$/, "").replace(/\/$/, "");
}

function withWarning(result: AgentResult, warnings: readonly string[]): AgentResult {
  return warnings.length === 0 ? result : { ...result, warning: [...new Set(warnings)].join(" ") };
}
