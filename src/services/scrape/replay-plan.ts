import { z } from "zod";
import { readReplaceable } from "../../core/stored-state.ts";
import { Action } from "../../core/scrape/actions.ts";
import type { Replay } from "../../core/sessions/browser-session.ts";
import { toAbsoluteUrl } from "../../core/url/url.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";

/** Options of a scrape that are stored for a later session: what was done with the page, not what was read. */
const ReplayOptions = z.object({
  waitFor: z.number().optional(),
  actions: z.array(Action).optional(),
  mobile: z.boolean().optional(),
  location: z.object({ languages: z.array(z.string()).optional() }).optional(),
});

/**
 * Returns the options as JSON text; undefined when the page was only loaded. Headers are not stored: they may contain
 * credentials.
 */
export function replayTextOf(options: ScrapeOptions | undefined): string | undefined {
  const { waitFor, actions, mobile, location } = options ?? {};
  const isPlain = waitFor === undefined && actions === undefined && mobile !== true && location === undefined;
  return isPlain ? undefined : JSON.stringify({ waitFor, actions, mobile, location });
}

/** Returns the steps to repeat, from the text that was stored with the scrape. */
export function toReplay(url: string, text: string | undefined): Replay {
  const { waitFor = 0, actions = [], mobile = false, location } = readReplaceable(ReplayOptions, text ?? "{}") ?? {};
  const languages = location?.languages ?? [];
  return { url: toAbsoluteUrl(url), waitForMs: waitFor, actions, mobile, languages };
}
