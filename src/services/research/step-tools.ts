import { z } from "zod";
import type { ScrapeDocument } from "../../core/scrape/document.ts";
import type { StepNote } from "../../core/jobs/step-trace.ts";
import { ownerOf } from "../../core/fair-order.ts";
import { searchCredits } from "../../core/account/pricing.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import type { FoundPage, MapOptions, ModelRequestOptions, StepTools, Tried } from "../../jobs/step-kind.ts";
import type { LanguageModel } from "../../ports/language-model.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import { MAP_CREDITS, mapSite, type MapRequest } from "../map/map-site.ts";
import { ownedModel } from "../owned-model.ts";
import { estimateCredits } from "../scrape/scrape-credits.ts";
import { scrapePage } from "../scrape/scrape-page.ts";
import { searchWeb } from "../search/search-web.ts";
import { readStepJob } from "./read-step-job.ts";
import { roomForPages } from "./page-room.ts";
import { fromService, type StepRun } from "./step-run.ts";

/** Minimum time for one model response or one map, also when the job's time is nearly over. */
const LEAST_MS = 10_000;
const MODEL_MS = 120_000;
/** Maximum number of pages of a PDF in a job with a budget. */
const MOST_PDF_PAGES = 10;

/** Documents are stored as they were returned; kinds read their metadata and the formats that they asked for. */
const StoredDocument = z.custom<ScrapeDocument>(
  (value) => z.object({ metadata: z.looseObject({}) }).safeParse(value).success,
);
const FoundPages = z.array(
  z.looseObject({ url: z.string(), title: z.string().optional(), description: z.string().optional() }),
);
const StoredStep = z.object({
  text: z.string(),
  toolCalls: z.array(z.object({ id: z.string(), toolName: z.string(), input: z.unknown() })),
  usage: z.object({ inputTokens: z.number(), outputTokens: z.number() }),
});

/** Returns the tools of a step job, which use the same services as requests. */
export function createStepTools(run: StepRun): StepTools {
  const { deps, specification } = run;
  const caller = { key: specification.key };
  const model = (): LanguageModel => {
    if (deps.llm === undefined) throw new AppError("MODEL_UNAVAILABLE", "No language model is configured");
    return ownedModel(deps.llm, ownerOf(specification.key));
  };
  const limits = () => {
    const nowMs = deps.clock.now();
    const deadlineMs = Math.max(Math.min(nowMs + MODEL_MS, specification.deadlineMs), nowMs + LEAST_MS);
    return { deadlineMs, signal: run.ended.signal };
  };
  /** Only agents record their steps in a trace. */
  const noting = (tool: string, input: StepNote["input"]): { note?: StepNote } =>
    specification.kind === "agent" ? { note: { tool, input } } : {};
  const modelNote = ({ size = "large" }: ModelRequestOptions) => noting("model", { name: deps.llm?.names[size] });
  const leftOfBudget = async (): Promise<number> => {
    if (specification.maxCredits === undefined) return Infinity;
    const progress = await fromService(deps.stepJobs.progress(specification.id));
    return specification.maxCredits - (progress?.creditsUsed ?? 0) - (progress?.creditsHeld ?? 0);
  };
  let room: Promise<number> | undefined;
  return {
    specification,
    llm: deps.llm,
    creditsLeft: leftOfBudget,
    // A job that continues by rules, without its model, has the same room.
    roomForPages: () => (room ??= roomForPages(run)),
    isLate: (key) =>
      run.step(key, async () => ({ value: deps.clock.now() >= specification.deadlineMs, credits: 0 }), {
        result: z.boolean(),
      }),

    scrape: async (key, { url, options }) => {
      const { zeroDataRetention, apiVersion, publicOrigin, scrapeDefaults: defaults } = specification;
      const scrape = (pdfPages: number): Promise<Tried<ScrapeDocument>> => {
        const bounded = boundPages(options, pdfPages);
        const facts = { defaults, apiVersion, zeroDataRetention, publicOrigin, isOneOfMany: true };
        const request = { url, options: bounded, ...facts };
        const estimate = estimateCredits(request);
        const extra = pdfPages === Infinity ? 0 : pdfPages - 1;
        return run.tried<ScrapeDocument>(
          key,
          async (creditSource) => {
            const { document, creditsUsed } = await scrapePage(deps, { ...caller, creditSource }, request);
            const { url: finalUrl, statusCode } = document.metadata;
            return { value: document, credits: creditsUsed, facts: { url: finalUrl, statusCode } };
          },
          { result: StoredDocument, credits: estimate + extra, spare: extra, ...noting("scrape", { url }) },
        );
      };
      // A PDF costs a credit per page: with a budget, the cost of its pages is reserved before it is read.
      if (specification.maxCredits === undefined) return await scrape(Infinity);
      const spare = (await leftOfBudget()) - estimateCredits({ options, zeroDataRetention });
      const pages = isPdf(url) ? Math.max(1, Math.min(MOST_PDF_PAGES, spare + 1)) : 1;
      const outcome = await scrape(pages);
      const isTooDear = outcome.kind === "failed" && outcome.code === "INSUFFICIENT_CREDITS" && pages > 1;
      return isTooDear ? await scrape(1) : outcome;
    },

    map: (key, requested) =>
      run.tried<FoundPage[]>(
        key,
        async (creditSource) => {
          const timeoutMs = Math.max(LEAST_MS, specification.deadlineMs - deps.clock.now());
          const request = { ...toMapRequest(requested), timeoutMs };
          const { links, warning } = await mapSite(deps, { ...caller, creditSource }, request);
          return { value: links, credits: MAP_CREDITS, facts: { found: links.length, ...(warning && { warning }) } };
        },
        {
          result: FoundPages,
          credits: MAP_CREDITS,
          ...noting("map", { url: requested.url, search: requested.search }),
        },
      ),

    search: (key, { query, limit }) =>
      run.tried<FoundPage[]>(
        key,
        async () => {
          const { groups, warning } = await searchWeb(deps, caller, { query, limit });
          const value = groups.web.map(({ url, title, description }) => ({ url, title, description }));
          const facts = { urls: value.map(({ url }) => url), ...(warning && { warning }) };
          return { value, credits: searchCredits(limit), facts };
        },
        { result: FoundPages, credits: searchCredits(limit), ...noting("search", { query, limit }) },
      ),

    converse: (key, request) =>
      run.tried(
        key,
        async () => {
          const value = await model().step({ ...request, ...limits() });
          const calls = value.toolCalls.map(({ toolName }) => toolName);
          return { value, credits: 0, facts: { calls, ...value.usage } };
        },
        { result: StoredStep, ...modelNote(request) },
      ),
    generateObject: (key, request) =>
      run.tried(
        key,
        async () => {
          const { value, usage } = await model().generateObject({ ...request, ...limits() });
          return { value, credits: 0, facts: { ...usage } };
        },
        { result: z.unknown(), ...modelNote(request) },
      ),
    generateText: (key, request) =>
      run.tried(
        key,
        async () => {
          const { text, usage } = await model().generateText({ ...request, ...limits() });
          return { value: text, credits: 0, facts: { ...usage } };
        },
        { result: z.string(), ...modelNote(request) },
      ),
    recall: async (key, jobId) => {
      const read = async (): Promise<unknown> => {
        const job = await deps.jobs.find(jobId);
        if (job?.teamId !== specification.key.teamId) return null;
        return (await readStepJob(deps, jobId).catch(undefinedWhenGone))?.result ?? null;
      };
      return await run.step(key, async () => ({ value: await fromService(read()), credits: 0 }), {
        result: z.unknown(),
      });
    },
    once: (key, result, work) => run.step(key, async () => ({ value: await work(), credits: 0 }), { result }),
    show: (progress) => run.show(progress),
    tell: async (key, event, data) => {
      const work = async () => {
        await run.tell(event, data);
        return { value: true, credits: 0 };
      };
      await run.step(key, work, { result: z.boolean() });
    },
  };
}

/** Other errors say nothing about the job: the run is repeated. */
function undefinedWhenGone(error: unknown): undefined {
  const isGone = isAppError(error) && (error.code === "JOB_NOT_FOUND" || error.code === "STORED_STATE_UNREADABLE");
  if (!isGone) throw error;
}

function isPdf(url: string): boolean {
  return /\.pdf$/i.test(URL.parse(url)?.pathname ?? "");
}

function boundPages(options: ScrapeOptions, most: number): ScrapeOptions {
  if (most === Infinity) return options;
  const { parsers = [{ type: "pdf" as const, mode: "auto" as const }] } = options;
  return {
    ...options,
    parsers: parsers.map((parser) =>
      parser.type === "pdf" ? { ...parser, maxPages: Math.min(parser.maxPages ?? most, most) } : parser,
    ),
  };
}

function toMapRequest({ url, search, limit, includeSubdomains, ignoreSitemap }: MapOptions): MapRequest {
  return {
    url,
    search,
    sitemap: ignoreSitemap ? "skip" : "include",
    limit,
    filterByPath: true,
    useIndex: false,
    headers: {},
    languages: [],
    includeSubdomains,
    scope: { ignoreQueryParameters: true },
    ignoreRobotsTxt: false,
    delayMs: 0,
    warnings: [],
  };
}
