import { z } from "zod";
import { readStored } from "../../core/stored-state.ts";
import { validate as isUuid } from "uuid";
import { jobIdPrefix } from "../../core/scrape/document-id.ts";
import { AppError } from "../../core/errors.ts";
import type { SessionView } from "../../ports/sessions/browser-session.ts";
import { closeBrowser } from "./close-browser.ts";
import { checkEndpoint } from "../account/check-scope.ts";
import { giveBack, takeCredits } from "../account/account.ts";
import type { Caller, Deps, Payer } from "../deps.ts";
import { findBrowser } from "./find-browser.ts";
import { browserSessionsOf, openBrowser } from "./open-browser.ts";
import { readProfile } from "./scrape-profile.ts";
import { readJobDocument } from "../jobs/read-job-document.ts";
import { LEAST_SESSION_CREDITS } from "../../sessions/life.ts";
import { toReplay, type ReplayPlan } from "../scrape/replay-plan.ts";

type InteractDeps = Parameters<typeof openBrowser>[0] &
  Parameters<typeof closeBrowser>[0] &
  Pick<Deps, "meter" | "sessionStore" | "scrapes" | "jobs" | "frontiers" | "blobs" | "clock">;

/** The session of a scrape; warnings of a new one are about what was not restored. */
export interface ScrapeSession {
  view: SessionView;
  warnings: readonly string[];
}

const TTL_MS = 600_000;
const ACTIVITY_TTL_MS = 300_000;
const TOO_LONG =
  "Replay context is unavailable: the actions of this scrape have more than 500,000 bytes, and are not stored";

/**
 * Returns the session of a scrape: the existing one, or a new one that repeats the scrape's steps on its page, with its
 * profile.
 * @throws AppError INVALID_JOB_ID, JOB_NOT_FOUND, ENDPOINT_RESTRICTED, REPLAY_UNAVAILABLE, REPLAY_FAILED, and as `readProfile` and
 * `openBrowser` do
 */
export async function sessionOfScrape(
  deps: InteractDeps,
  caller: Payer,
  { scrapeId, existingSessionId }: { scrapeId: string; existingSessionId: string | undefined },
): Promise<ScrapeSession> {
  const plan = await replayOf(deps, caller, scrapeId);
  if (existingSessionId !== undefined) return livingSession(deps, caller, existingSessionId);
  const row = await deps.sessionStore.findByScrape(caller.key.teamId, scrapeId);
  const known = row?.status === "active" ? await browserSessionsOf(deps).find(row.id) : undefined;
  if (known?.tokens !== undefined) return { view: known, warnings: [] };
  if (plan === undefined) throw new AppError("REPLAY_UNAVAILABLE", TOO_LONG);
  const { replay, profile, warnings } = plan;
  if (profile !== undefined) await readProfile(deps, { teamId: caller.key.teamId, name: profile });
  const requested = { ttlMs: TTL_MS, activityTtlMs: ACTIVITY_TTL_MS, streamWebView: true, recordSession: false };
  const own = profile === undefined ? {} : { profile: { name: profile, saveChanges: false } };
  await pay(deps, caller);
  const opened = await openBrowser(deps, caller, { ...requested, ...own, scrapeId, replay }).catch((error: unknown) => {
    giveBack(deps, LEAST_SESSION_CREDITS);
    throw error;
  });
  if (opened.kind === "opened") {
    return { view: opened.view, warnings: [...(opened.warning === undefined ? [] : [opened.warning]), ...warnings] };
  }
  giveBack(deps, LEAST_SESSION_CREDITS);
  return livingSession(deps, caller, opened.bySessionId);
}

/**
 * Ends the session of a scrape.
 * @throws AppError JOB_NOT_FOUND when there is none
 */
export async function closeSessionOfScrape(deps: InteractDeps, caller: Caller, scrapeId: string) {
  if (!isUuid(scrapeId)) throw new AppError("INVALID_JOB_ID");
  const row = await deps.sessionStore.findByScrape(caller.key.teamId, scrapeId);
  if (row?.status !== "active") throw new AppError("JOB_NOT_FOUND", "No browser session exists for this scrape.");
  return closeBrowser(deps, caller, row.id);
}

/** Charges the first minute of a new session; the rest is charged when it ends. */
async function pay(deps: InteractDeps, payer: Payer): Promise<void> {
  if (!(await takeCredits(deps, payer, LEAST_SESSION_CREDITS))) throw new AppError("INSUFFICIENT_CREDITS");
}

async function livingSession(deps: InteractDeps, caller: Caller, id: string): Promise<ScrapeSession> {
  const view = await findBrowser(deps, caller, id);
  if (view.tokens === undefined) throw new AppError("BROWSER_SESSION_ENDED");
  return { view, warnings: [] };
}

/**
 * Returns the steps to repeat; undefined when they are not stored. Pages of jobs are only loaded again, since a job's actions are not stored with its
 * pages.
 */
async function replayOf(deps: InteractDeps, caller: Caller, scrapeId: string): Promise<ReplayPlan | undefined> {
  if (!isUuid(scrapeId)) throw new AppError("INVALID_JOB_ID");
  if (jobIdPrefix(scrapeId) !== undefined) {
    return toReplay(urlOf(await readJobDocument(deps, caller, scrapeId)), undefined);
  }
  const found = await deps.scrapes.find(scrapeId, { teamId: caller.key.teamId, nowMs: deps.clock.now() });
  if (found === undefined || found.record.teamId !== caller.key.teamId) throw new AppError("JOB_NOT_FOUND");
  const { target, endpoint, replay, keyId } = found.record;
  if (keyId !== caller.key.id) checkEndpoint(caller.key, endpoint === "parse" ? "parse" : "scrape");
  if (endpoint !== "scrape") {
    throw new AppError("REPLAY_UNAVAILABLE", "Replay context is unavailable: an uploaded file is not a page");
  }
  return toReplay(target, replay);
}

const Located = z.object({
  metadata: z.object({ url: z.string().optional(), sourceURL: z.string().optional() }).optional(),
});

function urlOf(documentJson: string): string {
  const { metadata } = readStored(Located, documentJson, "document");
  const url = metadata?.url ?? metadata?.sourceURL;
  if (url === undefined) throw new AppError("REPLAY_UNAVAILABLE");
  return url;
}
