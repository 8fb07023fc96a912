import { shortenAnswers } from "../shorten-answers.ts";
import { bestPassagesInTurns } from "../../content/text/passages.ts";
import { withoutPromptInjection } from "../../content/text/prompt-injection.ts";
import { rankUrlsInPieces } from "../../core/crawl/rank-urls.ts";
import { inPieces } from "../../core/in-pieces.ts";
import { isSameSite } from "../../core/url/registrable-domain.ts";
import { UNTRUSTED_RULE, wrapUntrusted } from "../../core/text/untrusted-text.ts";
import type { ModelMessage, ModelToolCall } from "../../ports/language-model.ts";
import { evidenceField } from "../../formats/evidence-option.ts";
import { boundQuery } from "../research/bound-query.ts";
import { checkAnswer } from "../research/check-answer.ts";
import { absoluteAddress, KnownAddresses } from "../research/known-addresses.ts";
import { firstWords } from "../research/first-words.ts";
import { GivenSites } from "../research/given-sites.ts";
import { PagesBudget, readPage, type ReadPage } from "../research/read-page.ts";
import { searchedText } from "../research/safe-text.ts";
import type { FoundPage, StepTools } from "../step-kind.ts";
import { BUDGETS, type AgentBudget, type StopReason } from "./effort.ts";
import type { AgentInput } from "./input.ts";
import { rememberedPages, type AgentMemory } from "./memory.ts";
import { AGENT_SYSTEM, AGENT_TOOLS } from "./agent-tools.ts";
import { withoutSecrets } from "./without-secrets.ts";

const CALLS_A_STEP = 8;
/** Further calls of a step are dropped; those beyond `CALLS_A_STEP` are refused. */
const MAX_CALLS = 32;
const MAX_INPUT_CHARS = 8_000;
const SEARCH_RESULTS = 8;
const LISTED_PAGES = 30;
const SHOWN_LINKS = 15;
/** Links that are judged in a few milliseconds. */
const LINKS_A_PIECE = 100;
const MAX_MAPPED = 500;
const PAGE_CHARS = 8_000;
const PASSAGES = 8;
const OLD_ANSWERS = { whole: 4, maxChars: 600 };

export type ModelResearch =
  | { kind: "done"; text: string; pages: ReadPage[]; warnings: string[]; stopReason: StopReason }
  | { kind: "failed"; message: string };

/**
 * Runs a model that searches and reads until it can answer. It has tools that only read, and they accept only URLs that
 * the user, a search, or a page of the same site has named. A page can therefore neither send the model to another site
 * nor make it send data out in a URL.
 */
export async function researchByModel(
  input: AgentInput,
  { tools, memory }: { tools: StepTools; memory: AgentMemory | undefined },
): Promise<ModelResearch> {
  const room = new PagesBudget(await tools.roomForPages());
  const run = new ModelRun(input, { tools, memory, room });
  return await run.run();
}

class ModelRun {
  readonly #input: AgentInput;
  readonly #tools: StepTools;
  readonly #known = new KnownAddresses();
  readonly #pages = new Map<string, ReadPage>();
  readonly #room: PagesBudget;
  readonly #warnings: string[] = [];
  readonly #isConfined: boolean;
  readonly #sites: GivenSites;
  readonly #budget: AgentBudget;
  /** Earlier runs of the thread, and the pages that they read. */
  readonly #turns: AgentMemory["turns"];
  readonly #remembered = new Map<string, ReadPage>();
  #stopReason: StopReason = "completed";
  #actions = 0;
  #searches = 0;
  /** True when the credits do not suffice for the cheapest operation. */
  #isPoor = false;

  constructor(
    input: AgentInput,
    { tools, memory, room }: { tools: StepTools; memory: AgentMemory | undefined; room: PagesBudget },
  ) {
    this.#input = input;
    this.#tools = tools;
    this.#room = room;
    this.#budget = BUDGETS[input.effort ?? "medium"];
    this.#turns = memory?.turns ?? [];
    for (const page of memory === undefined ? [] : rememberedPages(memory)) {
      this.#remembered.set(page.url, page);
      this.#known.add(page.url);
    }
    this.#isConfined = input.strictConstrainToURLs && input.urls.length > 0;
    this.#sites = new GivenSites(input.urls);
    for (const url of input.urls) this.#known.add(url.replace(/\*$/, ""));
    if (!this.#isConfined) this.#known.addAllIn(input.prompt);
  }

  async run(): Promise<ModelResearch> {
    const messages: ModelMessage[] = [{ role: "user", text: this.#request() }];
    const system = `${AGENT_SYSTEM}\n${UNTRUSTED_RULE}`;
    let said = "";
    for (let number = 0; number < this.#budget.steps; number++) {
      if (await this.#tools.isLate(`late ${number}`)) {
        this.#stopReason = "time_limit";
        this.#warnings.push("The time limit was reached before the agent finished.");
        break;
      }
      const answer = await this.#tools.converse(`step ${number}`, {
        system,
        messages: shortenAnswers(messages, OLD_ANSWERS),
        tools: AGENT_TOOLS,
      });
      if (answer.kind === "failed") {
        if (this.#pages.size === 0 && said === "") return { kind: "failed", message: answer.message };
        this.#stopReason = "error";
        this.#warnings.push(`The language model stopped answering: ${answer.message}`);
        break;
      }
      const { text } = answer.value;
      const toolCalls = answer.value.toolCalls.slice(0, MAX_CALLS);
      if (text !== "") said = text;
      // After the message that the credits are used up, the model may answer, but not call tools.
      if (toolCalls.length === 0 || this.#isPoor) break;
      messages.push({ role: "assistant", text: text.slice(0, PAGE_CHARS), toolCalls: toolCalls.map(boundedCall) });
      for (const [index, call] of toolCalls.entries()) {
        const result = index < CALLS_A_STEP ? await this.#use(call, number) : "Error: too many calls in one step.";
        messages.push({ role: "tool", callId: call.id, toolName: call.toolName, text: result });
      }
      await this.#show(said);
      if (number === this.#budget.steps - 1) {
        this.#stopReason = "max_steps";
        this.#warnings.push(`The agent was stopped after ${this.#budget.steps} steps.`);
      }
    }
    return {
      kind: "done",
      text: withoutSecrets(said, system),
      pages: [...this.#pages.values()],
      warnings: this.#warnings,
      stopReason: this.#isPoor ? "max_credits" : this.#stopReason,
    };
  }

  /** Reports the data found so far. Values that no page states are unverified, as in the result. */
  async #show(said: string): Promise<void> {
    const partial = { result: said, sources: [...this.#pages.keys()] };
    if (said === "") return this.#tools.show({ partial });
    const known = [...this.#pages.values(), ...this.#remembered.values()];
    const checked = { prompt: this.#input.prompt, text: said, field: "result" };
    const { evidence, warning } = await checkAnswer(checked, known);
    this.#tools.show({
      partial,
      ...evidenceField(evidence, this.#input.evidence),
      ...(warning === undefined ? {} : { warning: `agent: ${warning}` }),
    });
  }

  #request(): string {
    const { prompt, urls, schema } = this.#input;
    const lines = [...this.#thread(), prompt];
    if (urls.length > 0) lines.push(`Begin with: ${urls.join(" ")}`);
    if (this.#isConfined)
      lines.push("Read nothing but these addresses. One that ends with /* stands for all pages below it.");
    if (schema !== undefined) lines.push(`The answer is to hold data for this JSON Schema:\n${JSON.stringify(schema)}`);
    return lines.join("\n");
  }

  /** Returns the earlier questions and answers of the thread, and the pages that can be read again without credits. */
  #thread(): string[] {
    if (this.#turns.length === 0) return [];
    const turns = this.#turns.map(({ prompt, answer }) => `Question: ${prompt}\nAnswer: ${answer}`).join("\n\n");
    return [
      `Earlier in this conversation:\n${wrapUntrusted(turns, { kind: "earlier questions and answers" })}`,
      `Pages that were read: ${[...this.#remembered.keys()].join(" ")}`,
      "Now answer this:",
    ];
  }

  async #use(call: ModelToolCall, number: number): Promise<string> {
    const { query, url, about } = fieldsOf(call.input);
    const key = `${number} ${call.toolName}`;
    if (call.toolName === "search") return await this.#search(query, key);
    if (call.toolName === "read_page") return await this.#read(url, about);
    if (call.toolName === "list_site") return await this.#list(url, about);
    return `Error: there is no tool ${call.toolName}.`;
  }

  async #search(wanted: string, key: string): Promise<string> {
    const query = boundQuery(wanted);
    if (query === "") return "Error: search needs a query.";
    if (this.#isConfined) return "Error: the user allows nothing but the given addresses.";
    if (++this.#searches > this.#budget.searches) return "Error: there were enough searches. Read, or answer.";
    await this.#tell("search", { query });
    const answer = await this.#tools.search(`search ${key} ${query}`, { query, limit: SEARCH_RESULTS });
    if (answer.kind === "failed") return this.#failure(answer);
    for (const page of answer.value) this.#known.add(page.url);
    return wrapUntrusted(listed(answer.value), { kind: "search results" });
  }

  async #read(url: string, about: string): Promise<string> {
    if (absoluteAddress(url) === undefined) return "Error: read_page needs an address.";
    const address = this.#known.exactly(url);
    if (address === undefined) {
      return "Error: neither the user, nor a search, nor a page of that site has named this address. It is not read.";
    }
    const remembered = this.#remembered.get(address);
    if (remembered !== undefined) {
      this.#pages.set(address, remembered);
      return await this.#shown(remembered, { about, links: [] });
    }
    await this.#tell("scrape", { url: address });
    const answer = await readPage(this.#tools, address, undefined);
    // Reading a page is the cheapest operation.
    if (answer.kind === "failed") {
      this.#isPoor ||= answer.code === "INSUFFICIENT_CREDITS";
      return this.#failure(answer);
    }
    const page = this.#keep(answer.value);
    const links = await this.#nearLinks(page, about);
    for (const { url: link } of links) this.#known.add(link);
    return await this.#shown(page, { about, links });
  }

  /** Keeps a page within the memory of the run; one that is read again as it was kept. */
  #keep(read: ReadPage): ReadPage {
    const known = this.#pages.get(read.url);
    if (known?.askedUrl === read.askedUrl) return known;
    const page = this.#room.fit(read);
    this.#pages.set(page.url, page);
    if (page.note !== undefined) this.#warnings.push(page.note);
    return page;
  }

  #mayRead(url: string): boolean {
    return !this.#isConfined || this.#sites.include(url);
  }

  /** Returns the links of a page to its own site: a page cannot send the agent to another one. */
  async #nearLinks({ url, links }: ReadPage, about: string): Promise<FoundPage[]> {
    const page = new URL(url);
    const near: FoundPage[] = [];
    await inPieces(links, LINKS_A_PIECE, (link) => {
      const target = URL.parse(link);
      if (target !== null && isSameSite(page, target) && this.#mayRead(link)) near.push({ url: link });
    });
    return (await rankUrlsInPieces(firstWords(`${about} ${this.#input.prompt}`), near)).slice(0, SHOWN_LINKS);
  }

  async #shown(page: ReadPage, { about, links }: { about: string; links: readonly FoundPage[] }): Promise<string> {
    const { text, removed } = await searchedText(page);
    if (removed > 0)
      this.#warnings.push(
        `${page.url} holds ${removed} passage(s) that speak to the reading program; they were left out.`,
      );
    const question = `${about} ${this.#input.prompt}`;
    const body = text.length <= PAGE_CHARS ? text : await longPage(text, question);
    const below = links.length === 0 ? "" : `\n\nLinks of this site:\n${links.map(({ url }) => url).join("\n")}`;
    return wrapUntrusted(`${page.title}\n\n${body}${below}`, { kind: "web page", url: page.url });
  }

  async #list(url: string, about: string): Promise<string> {
    if (absoluteAddress(url) === undefined) return "Error: list_site needs an address.";
    if (!this.#mayRead(url)) return "Error: the user allows nothing but the given addresses.";
    // A path or query that the model added to a known host, or to a given site, is not sent.
    const site = this.#isConfined ? this.#sites.siteOf(url) : this.#known.site(url);
    const address = this.#known.exactly(url) ?? site;
    if (address === undefined) return "Error: neither the user, nor a search, nor a page has named this site.";
    // A step may ask for several sites, each of which takes seconds.
    if (await this.#tools.isLate(`late map ${address} ${about}`)) return "Error: the time is over. Answer now.";
    await this.#tell("map", { url: address });
    const requested = {
      url: address,
      search: about,
      limit: MAX_MAPPED,
      includeSubdomains: false,
      ignoreSitemap: false,
    };
    const answer = await this.#tools.map(`map ${address} ${about}`, requested);
    if (answer.kind === "failed") return this.#failure(answer);
    const allowed = answer.value.filter((page) => this.#mayRead(page.url));
    const best = (await rankUrlsInPieces(firstWords(about), allowed)).slice(0, LISTED_PAGES);
    for (const page of best) this.#known.add(page.url);
    return wrapUntrusted(listed(best), { kind: "list of pages" });
  }

  /** Returns the error text for the model. When the credits are used up, adds a warning and asks for the answer. */
  #failure({ code, message }: { code: string; message: string }): string {
    if (code !== "INSUFFICIENT_CREDITS") return `Error: ${message}`;
    this.#warnings.push("The credits ran out before the agent finished.");
    return `Error: ${message}. Answer now from what you have read.`;
  }

  #tell(action: string, input: unknown): Promise<void> {
    return this.#tools.tell(`action ${this.#actions++}`, "action", { action, input });
  }
}

async function longPage(text: string, question: string): Promise<string> {
  const passages = await bestPassagesInTurns(text, question, {
    count: PASSAGES,
    maxChars: Math.floor(PAGE_CHARS / PASSAGES),
  });
  const chosen = passages.toSorted((left, right) => left.start - right.start).map((passage) => passage.text);
  return chosen.length === 0 ? `${text.slice(0, PAGE_CHARS)}\n[…]` : chosen.join("\n[…]\n");
}

function listed(pages: readonly FoundPage[]): string {
  const lines = pages.map(({ url, title = "", description = "" }) =>
    [url, title, description].filter(Boolean).join("\n"),
  );
  return withoutPromptInjection(lines.join("\n\n")).text || "Nothing was found.";
}

/** Cuts the input of a call to what is read of it: the conversation is sent again with each step. */
function boundedCall(call: ModelToolCall): ModelToolCall {
  const isLong = JSON.stringify(call.input ?? null).length > MAX_INPUT_CHARS;
  return isLong ? { ...call, input: fieldsOf(call.input) } : call;
}

function fieldsOf(input: unknown): { query: string; url: string; about: string } {
  const fields = typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
  const text = (name: string): string => (typeof fields[name] === "string" ? fields[name].trim().slice(0, 2_000) : "");
  return { query: text("query"), url: text("url"), about: text("about") };
}
