import type { ModelStep } from "../../../src/ports/language-model.ts";
import type { FoundPage, StepTools } from "../../../src/jobs/step-kind.ts";

export interface SmallPage {
  title?: string;
  description?: string;
  favicon?: string;
  markdown: string;
  links?: string[];
  json?: unknown;
}

interface SmallWeb {
  pages: Record<string, SmallPage>;
  /** What a search for anything finds. */
  found?: readonly FoundPage[];
  /** One step of a model after the other; without them there is no model. */
  steps?: readonly Partial<ModelStep>[];
  /** What the model makes of schemas and questions, one after the other. */
  objects?: readonly unknown[];
  texts?: readonly string[];
  /** Results of earlier jobs by id. */
  results?: Record<string, unknown>;
  more?: Partial<StepTools>;
}

/** Tools of a job over a web that lives in a table. `log` tells what was done, `said` what the model was given. */
export function smallWeb({ pages, found, steps, objects = [], texts = [], results = {}, more = {} }: SmallWeb) {
  const log: string[] = [];
  const said: string[] = [];
  const told: unknown[] = [];
  const shown: unknown[] = [];
  let step = 0;
  let object = 0;
  let text = 0;
  const hear = (request: unknown): void => void said.push(JSON.stringify(request));
  const failed = (code: string, message: string) => ({ kind: "failed", code, message });
  const tools = {
    specification: { deadlineMs: Number.MAX_SAFE_INTEGER },
    llm: steps === undefined ? undefined : { names: { large: "m-large", small: "m-small" }, contextTokens: 50_000 },
    creditsLeft: async () => Infinity,
    isLate: async () => false,
    roomForPages: async () => 16_000_000,
    async scrape(_key: string, { url }: { url: string }) {
      log.push(`scrape ${url}`);
      const page = pages[url];
      if (page === undefined) return failed("SCRAPE_TIMEOUT", "The page did not load in time");
      const { markdown, links = [], json, title, description, favicon } = page;
      const evidence = json === undefined ? [] : [{ field: "name", url, quote: "q", from: "json-ld" }];
      return {
        kind: "done",
        value: { markdown, links, json, evidence, metadata: { url, sourceURL: url, title, description, favicon } },
      };
    },
    async map(_key: string, { url }: { url: string }) {
      log.push(`map ${url}`);
      const below = Object.keys(pages).filter((page) => page.startsWith(url));
      return { kind: "done", value: below.map((page) => ({ url: page })) };
    },
    async search(_key: string, { query }: { query: string }) {
      log.push(`search ${query}`);
      return found === undefined ? failed("SEARCH_FAILED", "no provider answered") : { kind: "done", value: found };
    },
    async converse(_key: string, request: unknown) {
      hear(request);
      const next = steps?.[step++];
      if (next === undefined) return failed("MODEL_UNAVAILABLE", "The language model did not answer");
      return { kind: "done", value: { text: "", toolCalls: [], usage: { inputTokens: 0, outputTokens: 0 }, ...next } };
    },
    async generateObject(_key: string, request: unknown) {
      hear(request);
      const next = objects[object++];
      return next === undefined ? failed("MODEL_BAD_OUTPUT", "no object") : { kind: "done", value: next };
    },
    async generateText(_key: string, request: unknown) {
      hear(request);
      const next = texts[text++];
      return next === undefined ? failed("MODEL_UNAVAILABLE", "no text") : { kind: "done", value: next };
    },
    recall: async (_key: string, jobId: string) => results[jobId] ?? null,
    once: async (_key: string, _result: unknown, work: () => Promise<unknown>) => await work(),
    show: (progress: unknown) => void shown.push(progress),
    tell: async (_key: string, _event: string, data: unknown) => void told.push(data),
    ...more,
    // A table of answers is no full set of tools; the kinds under test use what stands in it.
  } as unknown as StepTools;
  return { tools, log, said, told, shown };
}
