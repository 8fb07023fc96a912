import { z } from "zod";
import { UNTRUSTED_RULE, wrapUntrusted } from "../core/text/untrusted-text.ts";
import { structureAnswer } from "./agent/structure-answer.ts";
import { withoutSecrets } from "./agent/without-secrets.ts";
import { gatherPages } from "./extract/gather-pages.ts";
import { relevantLinks } from "./research/explore.ts";
import { answerFromPages } from "./research/answer-from-pages.ts";
import { checkAnswer } from "./research/check-answer.ts";
import { quotedAnswer } from "./research/quoted-answer.ts";
import { boundQuery } from "./research/bound-query.ts";
import { keyOfRead, PagesBudget, readPage, type ReadPage } from "./research/read-page.ts";
import { inParallel } from "./in-parallel.ts";
import type { FoundPage, StepKind, StepTools } from "./step-kind.ts";

/** Data that a deep research returns in addition to its report. */
const JsonWanted = z.object({
  schema: z.record(z.string(), z.unknown()),
  prompt: z.string().optional(),
  systemPrompt: z.string().optional(),
});
type JsonWanted = z.infer<typeof JsonWanted>;

/** Options of a deep research job (api-contract.md, “Deep research and llms.txt”). */
export const DeepResearchInput = z.object({
  query: z.string(),
  /** Maximum number of rounds of searching and reading. */
  maxDepth: z.number(),
  maxUrls: z.number(),
  analysisPrompt: z.string().optional(),
  systemPrompt: z.string().optional(),
  /** Set when the result is requested as structured data. */
  json: JsonWanted.optional(),
});
export type DeepResearchInput = z.infer<typeof DeepResearchInput>;

export interface ResearchActivity {
  type: "search" | "scrape" | "analyze" | "reasoning" | "synthesis";
  status: "complete" | "error";
  message: string;
  timestamp: string;
  depth: number;
}

export interface ResearchSource {
  url: string;
  title: string;
  description: string;
  favicon?: string;
}

/** Progress of the job while it runs, and its result with the analysis at the end. */
export interface DeepResearchResult {
  finalAnalysis: string;
  json?: unknown;
  activities: ResearchActivity[];
  sources: ResearchSource[];
  currentDepth: number;
  maxDepth: number;
  totalUrls: number;
  warning?: string;
}

const QUERIES_A_ROUND = 3;
/** Further queries that a model suggests are not read. */
const MAX_READ_QUERIES = 30;
const RESULTS_A_QUERY = 6;
const PAGES_A_ROUND = 8;
/** Pages of the most rounds that a request may ask for. */
const MAX_PAGES = 12 * PAGES_A_ROUND;
const AT_A_TIME = 4;
const NOTE_QUOTES_CHARS = 24_000;
const REPORT_RULES =
  "You write reports from what pages say, in markdown, and name the address behind each statement. Say nothing that the pages do not say.";
const QUERY_SCHEMA = {
  type: "object",
  properties: {
    queries: {
      type: "array",
      items: { type: "string" },
      description: "Searches of a few words; empty when enough is known",
    },
  },
  required: ["queries"],
};

/** Searches and reads in rounds, each based on the findings of the last, until depth, pages or time are used up. */
export const deepResearch: StepKind<DeepResearchInput, DeepResearchResult> = {
  name: "deep_research",
  input: DeepResearchInput,
  run: async (input, tools) => await new Research(input, tools, new PagesBudget(await tools.roomForPages())).run(),
};

class Research {
  readonly #input: DeepResearchInput;
  readonly #tools: StepTools;
  readonly #pages: ReadPage[] = [];
  readonly #budget: PagesBudget;
  /** Relevant links of the pages. */
  readonly #links: FoundPage[] = [];
  readonly #activities: ResearchActivity[] = [];
  readonly #warnings: string[] = [];
  readonly #seen = new Set<string>();
  /** Keys of the pages that were read, after redirects. */
  readonly #read = new Set<string>();
  readonly #asked = new Set<string>();
  #depth = 0;

  constructor(input: DeepResearchInput, tools: StepTools, budget: PagesBudget) {
    this.#input = input;
    this.#tools = tools;
    this.#budget = budget;
  }

  async run(): Promise<DeepResearchResult> {
    if (this.#tools.llm === undefined) {
      this.#warnings.push(
        "deep research: no language model is configured; the analysis quotes the pages that were found.",
      );
    }
    const { maxDepth, maxUrls } = this.#input;
    if (maxUrls > MAX_PAGES) {
      this.#warnings.push(
        `maxUrls: a round reads at most ${PAGES_A_ROUND} pages, so that maxDepth ${maxDepth} reads at most ${maxDepth * PAGES_A_ROUND}.`,
      );
    }
    for (this.#depth = 1; this.#depth <= this.#input.maxDepth; this.#depth++) {
      if (this.#pages.length >= this.#input.maxUrls || (await this.#tools.isLate(`late ${this.#depth}`))) break;
      if ((await this.#round()) === 0) break;
    }
    this.#depth = Math.min(this.#depth, this.#input.maxDepth);
    const finalAnalysis = await this.#analyse();
    const json = this.#input.json === undefined ? undefined : await this.#structure(this.#input.json);
    await this.#note("synthesis", `Answered from ${this.#pages.length} page(s)`);
    return { ...this.#soFar(), finalAnalysis, ...(json === undefined ? {} : { json }) };
  }

  /** @returns the number of addresses that it had to read */
  async #round(): Promise<number> {
    const found: FoundPage[] = [];
    for (const query of await this.#queries()) {
      this.#asked.add(query);
      const answer = await this.#tools.search(`search ${query}`, { query, limit: RESULTS_A_QUERY });
      if (answer.kind === "done") found.push(...answer.value);
      else this.#warn(`deep research: the search failed: ${answer.message.replace(/\.$/, "")}.`);
      await this.#note("search", `Searched for “${query}”`, answer.kind === "done" ? undefined : answer.message);
    }
    // Relevant links of the pages that were read come after the search results.
    found.push(...this.#links);
    const fresh = [...new Map(found.map((page) => [page.url, page])).values()].filter(
      ({ url }) => !this.#seen.has(url),
    );
    const chosen = fresh.slice(0, Math.min(PAGES_A_ROUND, this.#input.maxUrls - this.#pages.length));
    const schema = this.#tools.llm === undefined ? this.#input.json?.schema : undefined;
    const outcomes = await inParallel(chosen, AT_A_TIME, ({ url }) => readPage(this.#tools, url, schema));
    for (const [index, outcome] of outcomes.entries()) {
      const { url = "" } = chosen[index] ?? {};
      this.#seen.add(url);
      if (outcome.kind === "done") await this.#add(outcome.value);
      await this.#note("scrape", `Read ${url}`, outcome.kind === "done" ? undefined : outcome.message);
    }
    return chosen.length;
  }

  /** Adds a page, unless another URL has led to it before. */
  async #add(read: ReadPage): Promise<void> {
    const key = keyOfRead(read);
    if (this.#read.has(key)) return;
    this.#read.add(key);
    const page = this.#budget.fit(read);
    this.#pages.push(page);
    this.#seen.add(page.url);
    if (page.note !== undefined) this.#warnings.push(page.note);
    this.#links.push(...(await relevantLinks(page, this.#input.query)));
  }

  /** Returns the question in the first round, then the queries that a model suggests. */
  async #queries(): Promise<string[]> {
    const { query } = this.#input;
    if (this.#depth === 1) return [query.slice(0, 300)];
    if (this.#tools.llm === undefined) return [];
    const answer = await this.#tools.generateObject(`queries ${this.#depth}`, {
      size: "small",
      system: `You plan searches of the web. ${UNTRUSTED_RULE}`,
      messages: [
        {
          role: "user",
          text: `Question: ${query}\nSearched so far: ${[...this.#asked].join("; ")}\nFound so far:\n${wrapUntrusted(await this.#notes(), { kind: "notes" })}\nWhich searches would find what is missing? At most ${QUERIES_A_ROUND}.`,
        },
      ],
      schema: QUERY_SCHEMA,
    });
    await this.#note("reasoning", "Thought about what is missing", answer.kind === "done" ? undefined : answer.message);
    if (answer.kind === "failed") return [];
    const { queries } = answer.value as { queries: string[] };
    return queries
      .slice(0, MAX_READ_QUERIES)
      .map(boundQuery)
      .filter((text) => text !== "" && !this.#asked.has(text))
      .slice(0, QUERIES_A_ROUND);
  }

  #warn(text: string): void {
    if (!this.#warnings.includes(text)) this.#warnings.push(text);
  }

  async #analyse(): Promise<string> {
    const { query, analysisPrompt, systemPrompt } = this.#input;
    const byRules = (await answerFromPages(this.#pages, query)).text;
    if (this.#tools.llm === undefined || this.#pages.length === 0) return byRules;
    const answer = await this.#tools.generateText("analysis", {
      system: `${REPORT_RULES} ${systemPrompt ?? ""} ${UNTRUSTED_RULE}`,
      messages: [
        {
          role: "user",
          text: `${analysisPrompt ?? "Answer the question at length."}\nQuestion: ${query}\n\n${wrapUntrusted(await this.#notes(), { kind: "pages" })}`,
        },
      ],
    });
    await this.#note("analyze", "Wrote the analysis", answer.kind === "done" ? undefined : answer.message);
    if (answer.kind === "done") {
      const text = withoutSecrets(answer.value, `${REPORT_RULES} ${UNTRUSTED_RULE}`);
      const { warning } = await checkAnswer({ prompt: query, text, field: "finalAnalysis" }, this.#pages);
      if (warning !== undefined) this.#warnings.push(`deep research: ${warning}`);
      return text;
    }
    this.#warnings.push(`deep research: ${answer.message}; the analysis quotes the pages that were found.`);
    return byRules;
  }

  async #structure({ schema, prompt, systemPrompt }: JsonWanted): Promise<unknown> {
    if (this.#tools.llm === undefined) {
      const { data, notes } = await gatherPages(this.#pages.map((page) => ({ ...page, warning: undefined })));
      this.#warnings.push(...notes);
      return data ?? {};
    }
    const requested = { prompt: prompt ?? this.#input.query, systemPrompt };
    return (
      await structureAnswer(requested, { pages: this.#pages, schema, tools: this.#tools, warnings: this.#warnings })
    ).data;
  }

  /** Returns quotes about the question, page by page, within the size that a model is given. */
  async #notes(): Promise<string> {
    const share = Math.floor(NOTE_QUOTES_CHARS / Math.max(1, this.#pages.length));
    const notes: string[] = [];
    for (const page of this.#pages) {
      const { text } = await quotedAnswer([page], this.#input.query);
      notes.push(`${page.url}\n${page.title}\n${text.slice(0, Math.max(400, share))}`);
    }
    return notes.join("\n\n").slice(0, NOTE_QUOTES_CHARS);
  }

  /** Records an activity. Its time is stored as a step, so that a repeated run reports the same activities. */
  async #note(type: ResearchActivity["type"], message: string, trouble?: string): Promise<void> {
    const number = this.#activities.length;
    const timestamp = await this.#tools.once(`activity ${number}`, z.string(), async () => new Date().toISOString());
    const said = trouble === undefined ? message : `${message}: ${trouble}`;
    this.#activities.push({
      type,
      status: trouble === undefined ? "complete" : "error",
      message: said,
      timestamp,
      depth: this.#depth,
    });
    this.#tools.show(this.#soFar());
  }

  #soFar(): DeepResearchResult {
    const sources = this.#pages.map(({ url, title, description, favicon }) => ({
      url,
      title,
      description,
      ...(favicon === undefined ? {} : { favicon }),
    }));
    return {
      finalAnalysis: "",
      activities: [...this.#activities],
      sources,
      currentDepth: this.#depth,
      maxDepth: this.#input.maxDepth,
      totalUrls: this.#pages.length,
      ...(this.#warnings.length === 0 ? {} : { warning: this.#warnings.join(" ") }),
    };
  }
}
