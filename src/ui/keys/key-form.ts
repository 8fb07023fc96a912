/** Endpoints that a key can be restricted to (schema `CreateKey`). */
export const ENDPOINTS = [
  "scrape",
  "parse",
  "crawl",
  "batch_scrape",
  "map",
  "search",
  "extract",
  "agent",
  "browser",
  "monitor",
  "account",
];
export const MODES = [
  "scrape",
  "map",
  "crawl",
  "search",
  "extract",
  "browser",
  "browserExecute",
  "crawlStatus",
  "extractStatus",
  "account",
];

export const EXPIRIES: [name: string, label: string][] = [
  ["", "Never"],
  ["7", "In 7 days"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In 1 year"],
];

const DAY_MS = 86_400_000;

/** The values of the form. Numbers are text until the form is submitted. */
export interface KeyForm {
  name: string;
  /** Days, or empty for no expiry. */
  expiry: string;
  monthlyCredits: string;
  maxConcurrency: string;
  endpoints: string[];
  formats: string;
  limits: Record<string, string>;
  isAdmin: boolean;
}

export function emptyForm(): KeyForm {
  return {
    name: "",
    expiry: "",
    monthlyCredits: "",
    maxConcurrency: "",
    endpoints: [],
    formats: "",
    limits: {},
    isAdmin: false,
  };
}

/** Returns the request body without empty fields. */
export function bodyOf(form: KeyForm, nowMs: number): Record<string, unknown> {
  const formats = form.formats
    .split(",")
    .map((format) => format.trim())
    .filter((format) => format !== "");
  const limits = Object.entries(form.limits).filter(([, limit]) => limit !== "");
  return {
    name: form.name.trim(),
    ...(form.expiry === "" ? {} : { expiresAt: new Date(nowMs + Number(form.expiry) * DAY_MS).toISOString() }),
    ...(form.monthlyCredits === "" ? {} : { monthlyCredits: Number(form.monthlyCredits) }),
    ...(form.maxConcurrency === "" ? {} : { maxConcurrency: Number(form.maxConcurrency) }),
    scopes: {
      admin: form.isAdmin,
      ...(form.endpoints.length === 0 ? {} : { endpoints: form.endpoints }),
      ...(formats.length === 0 ? {} : { formats }),
    },
    ...(limits.length === 0
      ? {}
      : { limits: Object.fromEntries(limits.map(([mode, limit]) => [mode, Number(limit)])) }),
  };
}
