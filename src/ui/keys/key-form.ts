/** What the service can restrict a key to (its `CreateKey` schema). */
export const ENDPOINTS = ["scrape", "parse", "crawl", "batch_scrape", "map", "search", "extract", "agent", "browser"];
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
  ["", "It is revoked"],
  ["7", "A week from now"],
  ["30", "30 days from now"],
  ["90", "90 days from now"],
  ["365", "A year from now"],
];

const DAY_MS = 86_400_000;

/** The form as it is filled in; numbers stay text until they are sent. */
export interface KeyForm {
  name: string;
  /** Days, or empty for no end. */
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

/** The request's body; what was left empty is left out. */
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
