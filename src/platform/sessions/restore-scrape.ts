import type { SessionPlan } from "../../core/sessions/browser-session.ts";
import { createProfileStore } from "../../storage/sessions/profiles.ts";
import { createR2Blobs } from "../r2-blobs.ts";
import { createProfileBrowser } from "./profile-browser.ts";
import { replayScrape } from "./replay-scrape.ts";
import type { BrowserSessionEnv } from "./stored-session.ts";

/** Result of restoring the page of a scrape in a new session. */
export interface RestoredScrape {
  /** Failure message for the caller; undefined on success. */
  failure: string | undefined;
  /** Origins whose storage in the profile was not restored. */
  unwritten: string[];
}

/** Restores the profile of a session's scrape, and then its page, which is loaded with the profile. */
export async function restoreScrape(
  env: BrowserSessionEnv,
  browserSessionId: string,
  plan: SessionPlan,
): Promise<RestoredScrape> {
  const { BROWSER } = env;
  if (plan.replay === undefined || BROWSER === undefined) return { failure: undefined, unwritten: [] };
  try {
    const unwritten = await restoreProfile(env, BROWSER, { browserSessionId, plan });
    return { failure: await replayScrape(BROWSER, browserSessionId, plan.replay), unwritten };
  } catch (error) {
    return { failure: String(error), unwritten: [] };
  }
}

async function restoreProfile(
  { DB, BUCKET, PROFILE_ENCRYPTION_KEY: keyHex }: BrowserSessionEnv,
  binding: Fetcher,
  { browserSessionId, plan: { teamId, profile } }: { browserSessionId: string; plan: SessionPlan },
): Promise<string[]> {
  if (profile === undefined || keyHex === undefined) return [];
  const store = createProfileStore({ db: DB, blobs: createR2Blobs(BUCKET), keyHex });
  const state = await store.read({ teamId, name: profile.name });
  return state === undefined ? [] : [...(await createProfileBrowser(binding).restore(browserSessionId, state))];
}
