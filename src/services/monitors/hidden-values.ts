import { AppError } from "../../core/errors.ts";
import type { MonitorConfig, MonitorTarget, MonitorWebhook } from "../../core/monitors/monitor.ts";
import { HIDDEN } from "../../core/text/hidden.ts";
import { shownUrl } from "../../core/url/shown-url.ts";
import { toAbsoluteUrl } from "../../core/url/url.ts";
import { hiddenHeaders, hiddenOptions, hiddenPaths, isFields } from "../../formats/hidden-options.ts";

type AnyTarget = Omit<Extract<MonitorTarget, { type: "scrape" }>, "id" | "type"> & { id?: string | undefined };

/** Returns a webhook as other keys of the team see it. */
export function hiddenWebhook(webhook: MonitorWebhook): MonitorWebhook {
  const { headers } = webhook;
  const shown = headers === undefined ? {} : { headers: hiddenHeaders(headers) as Record<string, string> };
  return { ...webhook, url: shownUrl(webhook.url), ...shown };
}

/**
 * Returns a webhook with the stored values of headers that are `(hidden)`, and with the stored URL where another key gives the one
 * that it was shown. Nothing is kept for another origin, which would receive it.
 * @throws AppError BAD_REQUEST for a hidden value that nothing is stored for
 */
export function withStoredWebhook(
  requested: MonitorWebhook,
  stored: MonitorWebhook | null | undefined,
  { isOwn }: { isOwn: boolean },
): MonitorWebhook {
  const isShown = !isOwn && stored != null && requested.url === shownUrl(stored.url);
  const webhook = isShown ? { ...requested, url: stored.url } : requested;
  if (hiddenPaths(webhook).length === 0) return webhook;
  const known = stored != null && originOf(stored.url) === originOf(webhook.url) ? stored.headers : undefined;
  return { ...webhook, headers: withStoredHeaders(webhook.headers, known, "webhook") as Record<string, string> };
}

/**
 * Returns targets with the stored values of headers, texts and scripts that are `(hidden)`: those of the same target, none of whose
 * pages has a new origin, and of the same actions.
 * @throws AppError BAD_REQUEST for a hidden value that nothing is stored for
 */
export function withStoredOptions<Target extends { id?: string | undefined; type: string }>(
  targets: readonly Target[],
  stored: MonitorConfig["targets"] = [],
): Target[] {
  return targets.map((target) => {
    const options: unknown = (target as Partial<AnyTarget>).scrapeOptions;
    if (!isFields(options) || hiddenPaths(options).length === 0) return target;
    const before = stored.find(({ id, type }) => id === target.id && type === target.type);
    const origins = originsOf(before);
    const isKnown = originsOf(target).every((origin) => origins.includes(origin));
    const known: unknown = isKnown && before?.type !== "search" ? before?.scrapeOptions : undefined;
    return { ...target, scrapeOptions: withStored(options, isFields(known) ? known : {}) };
  });
}

type Fields = Readonly<Record<string, unknown>>;

function withStored(options: Fields, known: Fields): Fields {
  const { headers, actions } = options;
  const restored = headers === undefined ? {} : { headers: withStoredHeaders(headers, known["headers"], "targets") };
  const { actions: shown } = hiddenOptions(known);
  // Another action beside them could take the hidden text elsewhere.
  const areSame = JSON.stringify(actions) === JSON.stringify(shown);
  // A script of another key could read the cookies that a hidden header becomes.
  const readsHidden = !areSame && hiddenPaths({ headers }).length > 0 && hasScript(actions);
  if (readsHidden) throw refused("targets", "actions");
  const whole: Fields = {
    ...options,
    ...restored,
    ...(areSame && actions !== undefined ? { actions: known["actions"] } : {}),
  };
  const [path] = hiddenPaths({ actions: whole["actions"] });
  if (path !== undefined) throw refused("targets", path.join("."));
  return whole;
}

function hasScript(actions: unknown): boolean {
  return Array.isArray(actions) && actions.some((action) => isFields(action) && action["type"] === "executeJavascript");
}

function withStoredHeaders(headers: unknown, known: unknown, field: string): unknown {
  if (!isFields(headers)) return headers;
  const values = new Map(
    Object.entries(isFields(known) ? known : {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const entries = Object.entries(headers).map(([name, value]) => {
    if (value !== HIDDEN) return [name, value];
    const kept = values.get(name.toLowerCase());
    if (kept === undefined) throw refused(field, `headers.${name}`);
    return [name, kept];
  });
  return Object.fromEntries(entries);
}

function originsOf(target: object | undefined): string[] {
  const { url, urls = [] } = (target ?? {}) as { url?: string; urls?: readonly string[] };
  return [...(url === undefined ? [] : [url]), ...urls].map(originOf);
}

function originOf(url: string): string {
  return new URL(toAbsoluteUrl(url)).origin;
}

function refused(field: string, path: string): AppError {
  const message = `${path}: "${HIDDEN}" keeps a stored value, and none is stored for it here. Give the value itself.`;
  return new AppError("BAD_REQUEST", message, { details: [{ code: "custom", path: [field], message }] });
}
