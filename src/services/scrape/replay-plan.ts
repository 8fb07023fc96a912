import { z } from "zod";
import { readReplaceable } from "../../core/stored-state.ts";
import { Action } from "../../core/scrape/actions.ts";
import type { Replay } from "../../core/sessions/browser-session.ts";
import { toAbsoluteUrl } from "../../core/url/url.ts";
import { utf8Length } from "../../core/text/utf8.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";

/** Bytes of the options that are stored: with each quote escaped once more, they and the page are in one row of 2 MB. */
const MAX_REPLAY_BYTES = 500_000;
/** Stored in place of longer ones. */
const TOO_LONG = JSON.stringify({ isTooLong: true });

/** Options of a scrape that are stored for a later session: what was done with the page, not what was read. */
const ReplayOptions = z.object({
  waitFor: z.number().optional(),
  actions: z.array(Action).optional(),
  mobile: z.boolean().optional(),
  location: z.object({ languages: z.array(z.string()).optional() }).optional(),
  profile: z.string().optional(),
  /** True when the scrape sent headers. */
  headers: z.boolean().optional(),
  isTooLong: z.boolean().optional(),
});

/** Plan of a session that goes on with the page of a scrape. */
export interface ReplayPlan {
  replay: Replay;
  /** Name of the profile that the page was loaded with. */
  profile: string | undefined;
  /** Options of the scrape that are not repeated. */
  warnings: string[];
}

/**
 * Returns the options as JSON text, or that they are too long to be stored; undefined when the page was only loaded. Headers
 * are not stored: they may contain credentials.
 */
export function replayTextOf(options: ScrapeOptions | undefined): string | undefined {
  const { waitFor, actions, mobile, location, profile, headers = {} } = options ?? {};
  const hasHeaders = Object.keys(headers).length > 0;
  const isPlain = waitFor === undefined && actions === undefined && mobile !== true && location === undefined;
  if (isPlain && !profile && !hasHeaders) return undefined;
  const text = JSON.stringify({
    waitFor,
    actions,
    mobile,
    location,
    ...(profile ? { profile: profile.name } : {}),
    ...(hasHeaders ? { headers: true } : {}),
  });
  return utf8Length(text) <= MAX_REPLAY_BYTES ? text : TOO_LONG;
}

/** Returns the steps to repeat, from the text that was stored with the scrape; undefined when they were too long for that. */
export function toReplay(url: string, text: string | undefined): ReplayPlan | undefined {
  const stored = readReplaceable(ReplayOptions, text ?? "{}") ?? {};
  if (stored.isTooLong === true) return undefined;
  const { waitFor = 0, actions = [], mobile = false, location, profile, headers = false } = stored;
  const languages = location?.languages ?? [];
  const replay = { url: toAbsoluteUrl(url), waitForMs: waitFor, actions, mobile, languages };
  return { replay, profile, warnings: headers ? [NO_HEADERS] : [] };
}

const NO_HEADERS = "headers: those of the scrape are not stored, so the page was loaded without them.";
