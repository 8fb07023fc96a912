import { z } from "zod";
import type { Evidence } from "../../core/scrape/evidence.ts";
import { evidenceField } from "../../formats/evidence-option.ts";
import type { StepKind, StepTools } from "../step-kind.ts";
import type { ReadPage } from "../research/read-page.ts";
import type { StopReason } from "./effort.ts";
import { AgentInput } from "./input.ts";
import { AgentMemory, remember, rememberedPages } from "./memory.ts";
import { checkAnswer } from "../research/check-answer.ts";
import { partialOf, type AgentOutcome, type AgentResult } from "./outcome.ts";
import { researchByModel } from "./research-by-model.ts";
import { quoted, runByRules } from "./run-by-rules.ts";
import { structureAnswer } from "./structure-answer.ts";
import { suggestFollowUps } from "./suggest.ts";

const BY_RULES = "agent: no language model is configured; the answer quotes the pages that were found.";
const NO_EVIDENCE = "evidence: an answer that quotes pages without a schema has none.";
const BUDGETS: ReadonlySet<StopReason> = new Set(["max_credits", "max_pages", "max_steps", "time_limit"]);

/** Searches, reads pages and follows their links until the prompt is answered, with a model or by rules alone. */
export const agent: StepKind<AgentInput, AgentResult> = {
  name: "agent",
  input: AgentInput,

  async run(input, tools) {
    const memory = await memoryOf(input, tools);
    const outcome =
      tools.llm === undefined
        ? await runByRules(input, { tools, memory, warnings: [BY_RULES] })
        : await runByModel(input, { tools, memory });
    return await toResult(input, { outcome, memory });
  },

  webhookData: ({ data, message, hasUnverified = false, warning }, creditsUsed) => ({
    creditsUsed,
    ...(data === undefined ? {} : { data }),
    ...(message === undefined ? {} : { message }),
    ...(warning !== undefined && hasUnverified ? { warning } : {}),
  }),
};

/** The part of an earlier result that is read. */
const Remembered = z.object({ memory: AgentMemory });

async function memoryOf(
  { earlierRunId }: AgentInput,
  tools: Pick<StepTools, "recall">,
): Promise<AgentMemory | undefined> {
  if (earlierRunId === undefined) return undefined;
  const result = await tools.recall(`memory of ${earlierRunId}`, earlierRunId);
  return Remembered.safeParse(result).data?.memory;
}

async function runByModel(
  input: AgentInput,
  { tools, memory }: { tools: StepTools; memory: AgentMemory | undefined },
): Promise<AgentOutcome> {
  const research = await researchByModel(input, { tools, memory });
  if (research.kind === "failed") {
    const words = `agent: ${research.message}; the answer quotes the pages that were found.`;
    return await runByRules(input, { tools: afterModel(tools), memory, warnings: [words] });
  }
  const { text, pages, warnings, stopReason } = research;
  const model = tools.llm?.names.large ?? "rules";
  const common = { model, stopReason, warnings, pages };
  const checked = await checkedText(input, { text, pages, memory });
  if (input.schema !== undefined) {
    const { evidence, ...structured } = await structureAnswer(input, { pages, schema: input.schema, tools, warnings });
    const all = [...warnings, ...checked.warnings];
    return { ...common, ...structured, evidence: [...evidence, ...checked.evidence], text, warnings: all };
  }
  // A model that was stopped before it returned text has read pages nevertheless.
  if (text === "") return { ...common, ...(await quoted(input, pages)) };
  const sources = usedSources(text, pages);
  const { evidence } = checked;
  const all = [...warnings, ...checked.warnings];
  return { ...common, data: { result: text, sources }, text, sources, evidence, warnings: all };
}

/** Returns tools whose steps are told apart from those of the model's run, which uses the same keys. */
function afterModel(tools: StepTools): StepTools {
  return {
    ...tools,
    isLate: (key) => tools.isLate(`rules ${key}`),
    tell: (key, event, data) => tools.tell(`rules ${key}`, event, data),
  };
}

/** Looks up the values of the text that a response shows; with a schema only mode `chat` shows it. */
async function checkedText(
  { prompt, schema, mode }: AgentInput,
  { text, pages, memory }: { text: string; pages: readonly ReadPage[]; memory: AgentMemory | undefined },
): Promise<{ evidence: Evidence[]; warnings: string[] }> {
  if (text === "" || (schema !== undefined && mode !== "chat")) return { evidence: [], warnings: [] };
  const known = memory === undefined ? [] : rememberedPages(memory);
  const field = mode === "chat" ? "message" : "result";
  const { evidence, warning } = await checkAnswer({ prompt, text, field }, [...pages, ...known]);
  return { evidence, warnings: warning === undefined ? [] : [`agent: ${warning}`] };
}

async function toResult(
  input: AgentInput,
  { outcome, memory }: { outcome: AgentOutcome; memory: AgentMemory | undefined },
): Promise<AgentResult> {
  const { prompt, schema, urls, strictConstrainToURLs, mode = "extract" } = input;
  const { data, text, sources, evidence, model, stopReason, pages } = outcome;
  const isChat = mode === "chat";
  const isWithout = input.evidence === true && evidence === undefined;
  const warnings = [...new Set([...outcome.warnings, ...(isWithout ? [NO_EVIDENCE] : [])])];
  const hasUnverified = evidence?.some(({ unverified }) => unverified === true) ?? false;
  const asked = [...(memory?.turns ?? []).map((turn) => turn.prompt), prompt];
  const known = memory === undefined ? [] : rememberedPages(memory);
  const used = [...pages, ...known].filter(({ url }) => sources.includes(url));
  const suggestions = await suggestFollowUps(used, asked);
  const settings = { mode, urls, strictConstrainToURLs, ...(schema === undefined ? {} : { schema }) };
  const answer = text === "" ? JSON.stringify(data) : text;
  return {
    ...(isChat && schema === undefined ? {} : { data }),
    ...(isChat ? { message: answer } : {}),
    ...(suggestions.length === 0 ? {} : { suggestions }),
    ...(BUDGETS.has(stopReason) ? partialOf(data, schema) : {}),
    sources,
    ...(evidence === undefined ? {} : evidenceField(evidence, input.evidence)),
    ...(hasUnverified ? { hasUnverified } : {}),
    model,
    stopReason,
    ...(warnings.length === 0 ? {} : { warning: warnings.join(" ") }),
    memory: remember(memory, { prompt, answer, sources, pages, settings }),
  };
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
