import type { ComponentType } from "preact";
import { ApiError } from "./api/client.ts";
import { readStored, writeStored } from "./parts/browser-storage.ts";
import type { Route } from "./routes.ts";
import type { ViewEntry } from "./views.ts";

/** Time in ms after which a view that still loads is reported as failed. It is shown if it arrives later. */
const SLOW_MS = 10_000;
const LOOK_MS = 5_000;
const NAME = "reloadedFor";

export type View = ComponentType<{ route: Route }>;

/**
 * Loads a view's script. After an upgrade of the service, whose scripts have other names, it reloads the page, once for
 * each version.
 * @param isRepeated True if an earlier try failed. Browsers may remember a failed script, so that only a reload helps.
 * @param late Receives the view if it arrives after the error.
 * @throws ApiError if the script does not load.
 */
export async function loadView(view: ViewEntry, isRepeated: boolean, late: (Content: View) => void): Promise<View> {
  const loading = view.load();
  try {
    return await within(loading);
  } catch (error) {
    loading.then(late, () => undefined);
    const found = error instanceof SlowError ? undefined : await currentScript();
    if (found !== undefined && mayReloadFor(found, isRepeated)) {
      location.reload();
      return await new Promise<never>(() => undefined);
    }
    throw new ApiError(messageOf(error, found !== undefined, view.label), { status: 0 });
  }
}

class SlowError extends Error {}

function messageOf(error: unknown, isReachable: boolean, label: string): string {
  if (error instanceof SlowError) return `${label} takes long to load. Check your connection and the service.`;
  if (isReachable) return `${label} could not be loaded.`;
  return `${label} could not be loaded, because the service cannot be reached. Check that it is running.`;
}

async function within(loading: Promise<View>): Promise<View> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const slow = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new SlowError()), SLOW_MS);
  });
  try {
    return await Promise.race([loading, slow]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the path of the entry script that the service serves now; undefined if the service cannot be reached. */
async function currentScript(): Promise<string | undefined> {
  try {
    const request = {
      headers: { Accept: "text/html" },
      cache: "no-store",
      signal: AbortSignal.timeout(LOOK_MS),
    } as const;
    return scriptOf(await (await fetch("/", request)).text());
  } catch {
    return undefined;
  }
}

/** Returns the path of the entry script of the dashboard's HTML. */
export function scriptOf(html: string): string | undefined {
  return /<script[^>]+src="([^"]+\.js)"/.exec(html)?.[1];
}

/** Reports whether a reload may help: for another version that was not tried yet, and after a repeated failure. */
function mayReloadFor(found: string, isRepeated: boolean): boolean {
  const own = scriptOf(document.documentElement.outerHTML);
  if (isRepeated) return true;
  if (found === own || readStored<string>(NAME, "", sessionStorage) === found) return false;
  writeStored(NAME, found, sessionStorage);
  return true;
}
