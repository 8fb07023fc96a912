import { z } from "zod";
import { AppError } from "./errors.ts";
import { bareHostname } from "./url/outbound-policy.ts";

/** Values of `proxy` that are kinds; routes have other names. */
export const PROXY_KINDS = ["basic", "stealth", "enhanced", "auto"] as const;
/** In rules: requests leave as they do without routes. */
const DIRECT = "direct";
const MAX_ENDPOINTS = 50;
const MAX_ROUTES = 100;
const MAX_RULES = 1_000;

/** Name of a route, as `proxy` accepts it. It has no flag, since patterns in a JSON schema have none. */
export const ROUTE_NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;

const Name = z
  .string()
  .regex(ROUTE_NAME, "must be lower-case letters, digits, - and _")
  .refine((name) => ![...PROXY_KINDS, DIRECT].some((reserved) => reserved === name), "is a reserved name");

const httpUrl = z.url({ protocol: /^https?$/ });

const ProxyRoute = z.strictObject({
  kind: z.literal("proxy"),
  urls: z.array(httpUrl).min(1).max(MAX_ENDPOINTS),
});
const ServiceRoute = z.strictObject({
  kind: z.literal("service"),
  url: httpUrl,
  token: z.string().min(1).optional(),
});
const BindingRoute = z.strictObject({ kind: z.literal("binding"), binding: z.string().min(1) });

/** An egress route: HTTP proxies that take CONNECT, a fetch service, or a binding of the Worker. */
const EgressRoute = z.discriminatedUnion("kind", [ProxyRoute, ServiceRoute, BindingRoute]);
export type EgressRoute = z.infer<typeof EgressRoute>;

const EgressSettings = z
  .strictObject({
    routes: z.record(Name, EgressRoute).refine((routes) => Object.keys(routes).length <= MAX_ROUTES),
    /** Routes of `enhanced` and `stealth`, and of `auto` after a refusal, in the order of trying. */
    enhanced: z.array(z.string()).default([]),
    /** The first rule that matches the host of a URL applies. */
    rules: z
      .array(z.strictObject({ hosts: z.array(z.string().min(1)).min(1), route: z.string() }))
      .max(MAX_RULES)
      .default([]),
  })
  .superRefine(({ routes, enhanced, rules }, context) => {
    for (const name of [...enhanced, ...rules.map(({ route }) => route).filter((route) => route !== DIRECT)]) {
      if (!Object.hasOwn(routes, name))
        context.addIssue({ code: "custom", message: `${name} is not one of the routes` });
    }
  });
export type EgressSettings = z.infer<typeof EgressSettings>;

export const NO_EGRESS_ROUTES: EgressSettings = { routes: {}, enhanced: [], rules: [] };

/** Reads the value of `EGRESS_ROUTES`. @throws Error that says what is wrong, without any password. */
export function parseEgressRoutes(text: string): EgressSettings {
  const parsed = EgressSettings.safeParse(toJson(text));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "value"}: ${message}`);
  throw new Error(`must be JSON with routes, enhanced and rules (${problems.join("; ")})`);
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The routes of a page load. Both lists are empty for a load that leaves directly. */
export interface EgressChoice {
  /** Routes in the order of trying. When there are any, nothing is requested directly. */
  routes: readonly string[];
  /** Routes to try when the site has refused the direct request. */
  ifBlocked: readonly string[];
  /** True when `routes` are those of `enhanced`. */
  isEnhanced: boolean;
}

const DIRECTLY: EgressChoice = { routes: [], ifBlocked: [], isEnhanced: false };

/**
 * Chooses the routes of a page load by `proxy` and by the host rules. A named route applies to every host; `enhanced` goes
 * before the rules.
 * @throws AppError `BAD_REQUEST` for a name that is not configured.
 */
export function chooseRoutes(settings: EgressSettings, { url, proxy }: { url: string; proxy: string }): EgressChoice {
  const { routes, enhanced } = settings;
  const kind = PROXY_KINDS.find((each) => each === proxy);
  if (kind === undefined) {
    if (!Object.hasOwn(routes, proxy)) throw unknownProxy(settings, proxy);
    return { routes: [proxy], ifBlocked: [], isEnhanced: false };
  }
  if ((kind === "stealth" || kind === "enhanced") && enhanced.length > 0) {
    return { routes: enhanced, ifBlocked: [], isEnhanced: true };
  }
  const ruled = ruleFor(settings, url);
  if (ruled !== undefined) return { routes: [ruled], ifBlocked: [], isEnhanced: false };
  return kind === "auto" && enhanced.length > 0 ? { ...DIRECTLY, ifBlocked: enhanced } : DIRECTLY;
}

/** @throws AppError `BAD_REQUEST` for a name that is not configured */
export function assertKnownProxy(settings: EgressSettings, proxy: string | undefined): void {
  const isKnown =
    proxy === undefined || PROXY_KINDS.some((kind) => kind === proxy) || Object.hasOwn(settings.routes, proxy);
  if (!isKnown) throw unknownProxy(settings, proxy);
}

/** Returns the route of the first rule that matches the host of a URL; undefined for the direct way. */
export function ruleFor({ rules }: EgressSettings, url: string): string | undefined {
  const parsed = rules.length === 0 ? null : URL.parse(url);
  if (parsed === null) return undefined;
  const host = bareHostname(parsed);
  const rule = rules.find(({ hosts }) => hosts.some((pattern) => matchesHost(pattern.toLowerCase(), host)));
  return rule === undefined || rule.route === DIRECT ? undefined : rule.route;
}

/** `*` matches every host, `*.example.com` the names below it, and anything else itself. */
function matchesHost(pattern: string, host: string): boolean {
  if (pattern === "*") return true;
  return pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : host === pattern;
}

function unknownProxy({ routes }: EgressSettings, proxy: string): AppError {
  const names = [...PROXY_KINDS, ...Object.keys(routes)].join(", ");
  const message = `Unknown proxy ${proxy}. This deployment has: ${names}`;
  return new AppError("BAD_REQUEST", message, { details: [{ code: "custom", path: ["proxy"], message }] });
}

/** Returns the endpoints of a route by label: the proxies of a route with several are numbered. */
export function endpointsOf(name: string, route: EgressRoute): { label: string; url: string | undefined }[] {
  if (route.kind !== "proxy") return [{ label: name, url: route.kind === "service" ? route.url : undefined }];
  const { urls } = route;
  return urls.map((url, index) => ({ label: urls.length === 1 ? name : `${name}#${index + 1}`, url }));
}

/** Returns the route of an endpoint's label. */
export function routeOf(label: string): string {
  return label.replace(/#\d+$/, "");
}
