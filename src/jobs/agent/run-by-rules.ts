import { readQuestion } from "../../content/answers/read-question.ts";
import { gatherPages } from "../extract/gather-pages.ts";
import { answerFromPages, asksForValue } from "../research/answer-from-pages.ts";
import { explore, type Explored } from "../research/explore.ts";
import type { ReadPage } from "../research/read-page.ts";
import type { StepTools } from "../step-kind.ts";
import { partialOf, type AgentOutcome } from "./outcome.ts";
import { BUDGETS, type StopReason } from "./effort.ts";
import type { AgentInput } from "./input.ts";
import { rememberedPages, type AgentMemory } from "./memory.ts";

const NOTHING = "Nothing was found that answers this.";

interface Running {
  tools: StepTools;
  memory: AgentMemory | undefined;
  warnings: readonly string[];
}

/** Runs an agent without a model: explores, and answers with data by the schema or with quotes. */
export async function runByRules(input: AgentInput, { tools, memory, warnings }: Running): Promise<AgentOutcome> {
  const { prompt, schema, urls, effort = "medium", strictConstrainToURLs } = input;
  const remembered = memory === undefined ? [] : rememberedPages(memory);
  if (await isAnswered(input, remembered)) {
    const { notes: _, isFound: _isFound, ...known } = await resultOf(input, remembered);
    return { ...known, model: "rules", stopReason: "completed", warnings, pages: [] };
  }
  let actions = 0;
  const tell = (action: string, about: unknown): Promise<void> =>
    tools.tell(`action ${actions++}`, "action", { action, input: about });
  const read: ReadPage[] = [];
  const worksAnew = schema !== undefined || !asksForValue(readQuestion(prompt));
  let shown = 0;
  const {
    pages: visited,
    troubles,
    end,
  } = await explore(
    {
      query: prompt,
      urls,
      only: strictConstrainToURLs && urls.length > 0,
      schema,
      maxPages: BUDGETS[effort].pages,
      maxDepth: BUDGETS[effort].depth,
    },
    tools,
    {
      isEnough: (found) => isAnswered(input, found),
      searched: (query) => tell("search", { query }),
      read: async (page) => {
        read.push(page);
        // Quotes are ranked, and data are merged, anew over all pages: they are shown when the pages have doubled.
        if (!worksAnew || read.length >= 2 * shown) {
          shown = read.length;
          tools.show(partialOf((await resultOf(input, [...read, ...remembered])).data, schema));
        }
        await tell("scrape", { url: page.url });
      },
    },
  );
  const pages = [...visited, ...remembered];
  const { notes, isFound, ...result } = await resultOf(input, pages);
  const all = [...warnings, ...troubles, ...(schema !== undefined && !isFound ? [NOTHING] : []), ...notes];
  return { ...result, model: "rules", stopReason: stopReasonOf(end, isFound), warnings: all, pages: visited };
}

interface RulesResult extends Pick<AgentOutcome, "data" | "text" | "sources" | "evidence"> {
  notes: readonly string[];
  isFound: boolean;
}

async function resultOf(input: AgentInput, pages: readonly ReadPage[]): Promise<RulesResult> {
  if (input.schema === undefined) return { ...(await quoted(input, pages)), notes: [] };
  const { data, evidence, notes } = await gatherPages(pages.map((page) => ({ ...page, warning: undefined })));
  const sources = [...new Set(evidence.flatMap(({ url, unverified }) => (unverified === true ? [] : [url])))];
  return { data: data ?? {}, text: "", sources, evidence, notes, isFound: data !== undefined };
}

/** Returns the answer of the pages, or a text that says that there is none. */
export async function quoted(
  { prompt, urls }: Pick<AgentInput, "prompt" | "urls">,
  pages: readonly ReadPage[],
): Promise<Pick<AgentOutcome, "data" | "text" | "sources"> & { isFound: boolean }> {
  const { text, sources, outcome } = await answerFromPages(pages, prompt, urls);
  return { data: { result: text, sources }, text, sources, isFound: outcome !== "not_found" };
}

/** Reports whether pages state the value that a prompt asks for. */
async function isAnswered({ prompt, urls, schema }: AgentInput, pages: readonly ReadPage[]): Promise<boolean> {
  if (schema !== undefined || !asksForValue(readQuestion(prompt))) return false;
  const { outcome } = await answerFromPages(pages, prompt, urls);
  return outcome === "found";
}

function stopReasonOf(end: Explored["end"], isFound: boolean): StopReason {
  if (end === "max_credits" || end === "time_limit") return end;
  if (isFound) return "completed";
  return end === "max_pages" ? "max_pages" : "not_found";
}
