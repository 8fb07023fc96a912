import { z } from "zod";
import type { ReadPage } from "../research/read-page.ts";

const MAX_TURNS = 10;
const MAX_ANSWER_CHARS = 2_000;
const MAX_PAGES = 24;
const MAX_PAGE_CHARS = 40_000;
const MAX_CHARS = 300_000;

/** Options that a follow-up takes over when its request omits them. */
const Settings = z.object({
  mode: z.enum(["extract", "chat"]),
  urls: z.array(z.string()),
  schema: z.record(z.string(), z.unknown()).optional(),
  strictConstrainToURLs: z.boolean(),
});
export type AgentSettings = z.infer<typeof Settings>;

const MemoryPage = z.object({ url: z.string(), title: z.string(), markdown: z.string() });

/** Questions, answers and pages of the runs of a thread, stored with the result of each run. */
export const AgentMemory = z.object({
  turns: z.array(z.object({ prompt: z.string(), answer: z.string(), sources: z.array(z.string()) })),
  pages: z.array(MemoryPage),
  settings: Settings,
});
export type AgentMemory = z.infer<typeof AgentMemory>;

/** Adds a run to the memory of its thread. The newest turns and pages stay; the oldest are dropped at the limits. */
export function remember(
  earlier: AgentMemory | undefined,
  run: AgentMemory["turns"][number] & { pages: readonly z.infer<typeof MemoryPage>[]; settings: AgentSettings },
): AgentMemory {
  const turn = { prompt: run.prompt, answer: run.answer.slice(0, MAX_ANSWER_CHARS), sources: run.sources };
  const newestFirst = [...run.pages, ...(earlier?.pages ?? [])];
  const pages = newestFirst.filter(({ url }, index) => newestFirst.findIndex((page) => page.url === url) === index);
  return {
    turns: [...(earlier?.turns ?? []), turn].slice(-MAX_TURNS),
    pages: bounded(pages),
    settings: run.settings,
  };
}

function bounded(pages: readonly z.infer<typeof MemoryPage>[]): AgentMemory["pages"] {
  let left = MAX_CHARS;
  const kept: AgentMemory["pages"] = [];
  for (const { url, title, markdown } of pages.slice(0, MAX_PAGES)) {
    const text = markdown.slice(0, Math.min(MAX_PAGE_CHARS, left));
    if (text === "") continue;
    left -= text.length;
    kept.push({ url, title, markdown: text });
  }
  return kept;
}

/** Returns the remembered pages in the form of pages that were read; their links and data are not remembered. */
export function rememberedPages({ pages }: AgentMemory): ReadPage[] {
  return pages.map((page) => ({
    ...page,
    askedUrl: page.url,
    description: "",
    favicon: undefined,
    links: [],
    value: undefined,
    evidence: [],
  }));
}
