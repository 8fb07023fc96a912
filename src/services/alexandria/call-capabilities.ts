import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { AppError } from "../../core/errors.ts";
import { parseSearchQuery } from "../../core/search/search-query.ts";
import type { Asked } from "../../search/ask.ts";
import type { SearchHit } from "../../search/provider.ts";
import { snippetText } from "../../content/text/snippet-text.ts";
import { openAccount } from "../account/account.ts";
import type { Deps, Payer } from "../deps.ts";
import { toPaperFields } from "../search/papers.ts";
import { SourceRound, type SourceDeps } from "../search/source-round.ts";
import { CALL_CREDITS, CAPABILITIES, DEFAULT_RECORDS, MAX_RECORDS, type Capability } from "./catalogue.ts";
import { FindToolsOptions, findTools } from "./find-tools.ts";

/** A call of a capability. */
export interface CapabilityCall {
  provider: string;
  capability: string;
  options?: Record<string, unknown> | undefined;
}

interface CallFailure {
  code: string;
  message: string;
  status: number;
}

/** The result of one call: its data, or why there are none. */
export type CapabilityResult =
  | { provider: string; capability: string; creditsCost: number; data: unknown; records?: number }
  | { provider: string; capability: string; error: CallFailure };

export interface CapabilityResponse {
  id: string;
  results: CapabilityResult[];
  creditsCost: number;
}

export type CapabilityDeps = SourceDeps &
  Pick<Deps, "searchProviders" | "paperSources" | "settings" | "keyLedger" | "meter" | "log">;

const Day = z.iso.date("A date is a day of the calendar, in the form YYYY-MM-DD");
const Options = z.strictObject({
  query: z.string().trim().min(1).max(2_000),
  limit: z.int().min(1).max(MAX_RECORDS).default(DEFAULT_RECORDS),
});
const PaperOptions = Options.extend({ from: Day.optional(), to: Day.optional() });
type PaperOptions = z.output<typeof PaperOptions>;

/** The catalogue's own provider, under the name that clients send. */
const CATALOGUE = "firecrawl";

/** Returns the capabilities whose providers this deployment has. */
export function availableCapabilities({
  searchProviders,
  paperSources,
}: Pick<Deps, "searchProviders" | "paperSources">): Capability[] {
  const searchers = new Set(searchProviders.map(({ name }) => name));
  const papers = new Set(paperSources.map(({ name }) => name));
  return CAPABILITIES.filter(({ provider, kind }) => (kind === "papers" ? papers : searchers).has(provider));
}

/** Estimates the credits of calls: as if all of them succeeded. */
export function estimateCallCredits(calls: readonly CapabilityCall[]): number {
  return CALL_CREDITS * calls.filter(({ provider }) => provider !== CATALOGUE).length;
}

/**
 * Makes the calls at once. A call that fails has its reason in its result and costs nothing.
 * @throws AppError NOT_AVAILABLE when no call is of a capability of this service, BAD_REQUEST when no call has valid
 * options, SEARCH_FAILED when all calls failed for these or other reasons.
 */
export async function callCapabilities(
  deps: CapabilityDeps,
  caller: Payer,
  { calls, timeoutMs }: { calls: readonly CapabilityCall[]; timeoutMs: number },
): Promise<CapabilityResponse> {
  const account = openAccount(deps, caller, estimateCallCredits(calls));
  const results = await Promise.all(
    calls.map((call) => madeCall(deps, { call, teamId: caller.key.teamId, timeoutMs })),
  );
  const creditsCost = results.reduce((sum, result) => sum + ("error" in result ? 0 : result.creditsCost), 0);
  deps.defer(account.settle(creditsCost));
  const failures = results.flatMap((result) => ("error" in result ? [result.error] : []));
  if (failures.length === results.length) throw failureOf(failures, results);
  return { id: uuidv7(), results, creditsCost };
}

function failureOf(failures: readonly CallFailure[], details: readonly CapabilityResult[]): AppError {
  const text = [...new Set(failures.map(({ message }) => message))].join(" ");
  const every = (status: number): boolean => failures.every((failure) => failure.status === status);
  const code = every(501) ? "NOT_AVAILABLE" : every(400) ? "BAD_REQUEST" : "SEARCH_FAILED";
  return new AppError(code, text, { details });
}

interface CallRequest {
  call: CapabilityCall;
  teamId: string;
  timeoutMs: number;
}

/** Makes a call. An unexpected error fails this call alone. */
async function madeCall(deps: CapabilityDeps, request: CallRequest): Promise<CapabilityResult> {
  const { provider, capability } = request.call;
  try {
    return await makeCall(deps, request);
  } catch (error) {
    deps.log({ event: "capability_failed", provider, capability, message: String(error) });
    return { provider, capability, error: { code: "SEARCH_FAILED", message: "This call failed.", status: 500 } };
  }
}

async function makeCall(deps: CapabilityDeps, request: CallRequest): Promise<CapabilityResult> {
  const { provider, capability, options = {} } = request.call;
  const named = { provider, capability };
  const fail = (code: string, status: number, message: string): CapabilityResult => ({
    ...named,
    error: { code, message, status },
  });
  const available = availableCapabilities(deps);
  if (provider === CATALOGUE && capability === "find-tools") {
    const parsed = FindToolsOptions.safeParse(options);
    if (!parsed.success) return fail("BAD_REQUEST", 400, wordsOf(parsed.error));
    return { ...named, creditsCost: 0, data: findTools(parsed.data, available) };
  }
  const known = available.find((tool) => tool.provider === provider && tool.capability === capability);
  if (known === undefined) {
    const names = available.map((tool) => `${tool.provider}/${tool.capability}`).join(", ");
    const words = `This deployment does not offer ${provider}/${capability}. It offers ${names} and firecrawl/find-tools.`;
    return fail("NOT_AVAILABLE", 501, words);
  }
  const parsed = (known.kind === "papers" ? PaperOptions : Options).safeParse(options);
  if (!parsed.success) return fail("BAD_REQUEST", 400, wordsOf(parsed.error));
  const round = await SourceRound.open(deps, request.timeoutMs);
  const records = await round.ask(provider, (deadlineMs) =>
    recordsOf(deps, known, { options: parsed.data, teamId: request.teamId, deadlineMs }),
  );
  if (records === undefined) return fail("SEARCH_FAILED", 500, round.failure().message);
  return { ...named, creditsCost: CALL_CREDITS, data: { results: records }, records: records.length };
}

function wordsOf(error: z.ZodError): string {
  return error.issues.map(({ path, message }) => `options.${path.join(".")}: ${message}`).join("; ");
}

interface RecordQuery {
  options: PaperOptions;
  teamId: string;
  deadlineMs: number;
}

async function recordsOf(
  { searchProviders, paperSources }: CapabilityDeps,
  { provider: name, kind }: Capability,
  { options, teamId, deadlineMs }: RecordQuery,
): Promise<Asked<unknown[]>> {
  const { query: text, limit, from, to } = options;
  const query = { text, terms: parseSearchQuery(text), limit, teamId, deadlineMs };
  if (kind === "papers") {
    const days = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
    const source = paperSources.find((candidate) => candidate.name === name);
    const asked = await source?.search({ ...query, ...days, authors: [], categories: [] });
    if (asked === undefined || asked.kind === "failed") return asked ?? NONE;
    return { kind: "answered", value: asked.value.slice(0, limit).flatMap((paper) => toPaperFields(paper) ?? []) };
  }
  const provider = searchProviders.find((candidate) => candidate.name === name);
  const outcome = await provider?.search({
    ...query,
    source: kind === "news" ? "news" : "web",
    ...(kind === "github" ? { category: "github" as const } : {}),
    includeDomains: [],
    excludeDomains: [],
  });
  if (outcome === undefined || outcome.kind === "failed") return outcome ?? NONE;
  return { kind: "answered", value: outcome.hits.slice(0, limit).map(toRecord) };
}

const NONE: Asked<unknown[]> = { kind: "answered", value: [] };

function toRecord({ url, title, description, date }: SearchHit): Record<string, string> {
  const texts = { url, title: snippetText(title), description: snippetText(description) };
  return { ...texts, ...(date === undefined ? {} : { date }) };
}
