import { roundFigures, type Estimate, type EstimateBasis, type EstimateRange } from "../../core/account/estimate.ts";
import { toReceipt } from "../../core/account/receipt.ts";
import { readReplaceable } from "../../core/stored-state.ts";
import { BUDGETS, EFFORTS, type Effort } from "../../jobs/agent/effort.ts";
import { z } from "zod";
import type { Caller, Deps } from "../deps.ts";
import { costOfPages, PAGE_BYTES, RENDERED_MS } from "./cost-of-pages.ts";

/** Options of an agent run that its cost depends on. */
export interface AgentRequest {
  effort: Effort;
  mode: "extract" | "chat";
  /** Number of addresses to start from; without any, the run searches. */
  urls: number;
  maxCredits: number;
}

type AgentDeps = Pick<Deps, "jobList" | "jobs" | "stepJobs" | "clock" | "llm" | "log">;

const MAX_LISTED = 20;
const MAX_READ = 5;
/** Fewer earlier runs say little about the next one. */
const MIN_RUNS = 2;
const SEARCH_CREDITS = 2;
const Options = z.object({ effort: z.enum(EFFORTS), mode: z.enum(["extract", "chat"]) }).partial();

interface PastRun {
  pages: number;
  credits: number;
  dollars: number;
  browserSeconds: number;
}

/** Estimates a run of the agent from earlier runs of the team with the same effort and mode, otherwise from its limits. */
export async function estimateAgent(deps: AgentDeps, { key }: Caller, request: AgentRequest): Promise<Estimate> {
  const runs = await pastRuns(deps, key.teamId, request).catch((error: unknown) => {
    deps.log({ event: "estimate_receipts_failed", message: String(error) });
    return [];
  });
  return runs.length < MIN_RUNS ? byLimits(deps, request) : byRuns(runs, request);
}

async function pastRuns(deps: AgentDeps, teamId: string, { effort, mode }: AgentRequest): Promise<PastRun[]> {
  const nowMs = deps.clock.now();
  const { jobs } = await deps.jobList.list(teamId, {
    kinds: ["agent"], statuses: ["completed"], fromMs: 0, toMs: nowMs, after: undefined, limit: MAX_LISTED, nowMs,
  }); // prettier-ignore
  const runs: PastRun[] = [];
  for (const { id } of jobs) {
    if (runs.length >= MAX_READ) break;
    const record = await deps.jobs.find(id);
    const options = record && readReplaceable(Options, record.optionsJson);
    if ((options?.effort ?? "medium") !== effort || (options?.mode ?? "extract") !== mode) continue;
    const progress = await deps.stepJobs.progress(id);
    if (progress === undefined) continue;
    const { dollars, browserMs } = toReceipt(progress.costs);
    runs.push({
      pages: progress.costs.pages,
      credits: progress.creditsUsed,
      dollars,
      browserSeconds: browserMs / 1000,
    });
  }
  return runs;
}

function byRuns(runs: readonly PastRun[], { maxCredits }: AgentRequest): Estimate {
  const range = (of: (run: PastRun) => number, most = Infinity): EstimateRange => {
    const sorted = runs.map((run) => Math.min(most, of(run))).toSorted((one, other) => one - other);
    const [low = 0] = sorted;
    return { low, expected: sorted[Math.floor(sorted.length / 2)] ?? low, high: sorted.at(-1) ?? low };
  };
  return {
    ...roundFigures({
      pages: range(({ pages }) => pages),
      credits: range(({ credits }) => credits, maxCredits),
      dollars: range(({ dollars }) => dollars),
      browserSeconds: range(({ browserSeconds }) => browserSeconds),
    }),
    basis: [{ source: "receipts", detail: `${runs.length} earlier runs of the team with the same effort and mode` }],
  };
}

function byLimits({ llm }: AgentDeps, { effort, urls, maxCredits }: AgentRequest): Estimate {
  const budget = BUDGETS[effort];
  const pages = {
    low: 1,
    expected: Math.ceil(budget.pages / 2),
    high: llm === undefined ? budget.pages : budget.steps,
  };
  const figures = costOfPages(pages, { credits: 1, bytes: PAGE_BYTES, browserMs: 0 });
  const searches = urls > 0 ? { low: 0, expected: 0, high: budget.searches } : { low: 1, expected: 1, high: budget.searches }; // prettier-ignore
  const credits = (bound: keyof EstimateRange): number =>
    Math.min(maxCredits, pages[bound] + searches[bound] * SEARCH_CREDITS);
  const basis: EstimateBasis[] = [
    {
      source: "request",
      detail: `Effort ${effort} reads ${budget.pages} pages by rules, in ${budget.steps} steps of a model`,
    },
    { source: "rates", detail: "No earlier runs of the team to compare with" },
    ...(llm === undefined
      ? []
      : [{ source: "rates" as const, detail: "Tokens of the language model are not included" }]),
  ];
  return {
    ...roundFigures({
      ...figures,
      credits: { low: credits("low"), expected: credits("expected"), high: credits("high") },
      browserSeconds: { low: 0, expected: 0, high: (pages.high * RENDERED_MS) / 1000 },
    }),
    basis,
  };
}
