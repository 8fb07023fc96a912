import { isObject } from "../api.ts";

/** Arguments of a tool. */
export type Input = Record<string, unknown>;

/** Returns the arguments without empty values, which models send for unset options. */
export function withoutEmpty(input: Input): Input {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

/** Converts a tool's scrape options to those of the API: options of formats and parsers become part of them. */
export function scrapeOptions(input: Input): Input {
  const { jsonOptions, queryOptions, screenshotOptions, pdfOptions, ...rest } = input;
  const optionsOf: Record<string, unknown> = { json: jsonOptions, query: queryOptions, screenshot: screenshotOptions };
  const withOptions = (type: unknown): unknown => {
    const options = optionsOf[String(type)];
    if (isObject(options)) return { type, ...options };
    return type === "json" || type === "query" ? { type } : type;
  };
  const { formats, parsers } = rest;
  return withoutEmpty({
    ...rest,
    ...(Array.isArray(formats) ? { formats: formats.map(withOptions) } : {}),
    ...(Array.isArray(parsers) && isObject(pdfOptions)
      ? { parsers: parsers.map((parser: unknown) => (parser === "pdf" ? { type: "pdf", ...pdfOptions } : parser)) }
      : {}),
  });
}

/** Converts `scrapeOptions` among the arguments. */
export function withScrapeOptions(input: Input): Input {
  return withoutEmpty(
    isObject(input["scrapeOptions"]) ? { ...input, scrapeOptions: scrapeOptions(input["scrapeOptions"]) } : input,
  );
}

/** Returns the body of a search. Without sources the web is searched. */
export function searchBody(input: Input): Input {
  const { sources } = input;
  const named = Array.isArray(sources) ? sources.map(withOwnName) : ["web"];
  return withScrapeOptions({ ...input, sources: named });
}

/** `exchange` is an older name of the source `alexandria`. */
function withOwnName(source: unknown): unknown {
  if (source === "exchange") return "alexandria";
  return isObject(source) && source["type"] === "exchange" ? { ...source, type: "alexandria" } : source;
}

/** Returns the body of a crawl: headers of the webhook become part of it. */
export function crawlBody({ webhook, webhookHeaders, ...rest }: Input): Input {
  const hook =
    typeof webhook === "string" && isObject(webhookHeaders) ? { url: webhook, headers: webhookHeaders } : webhook;
  return withScrapeOptions({ ...rest, webhook: hook });
}

const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value])
    .filter((text): text is string => typeof text === "string")
    .map((text) => text.trim())
    .filter((text) => text !== "");

/**
 * Returns the body of a monitor from the short form: pages or queries with a goal.
 * @returns a message instead when the short form is incomplete.
 */
export function monitorBody(input: Input): Input | string {
  if (isObject(input["body"])) return input["body"];
  const urls = [...textsOf(input["page"]), ...textsOf(input["pages"] ?? [])];
  const queries = textsOf(input["queries"] ?? []);
  const [goal] = textsOf(input["goal"]);
  const [first] = queries.length > 0 ? queries : urls;
  if (first === undefined) return "Give either body, page or pages, or queries.";
  if (goal === undefined) return "Give a goal, or use body for a monitor without one.";
  const { searchWindow, maxResults, includeDomains, excludeDomains } = input;
  const search = withoutEmpty({ searchWindow, maxResults, includeDomains, excludeDomains });
  const [email] = textsOf(input["email"]);
  const [url] = textsOf(input["webhookUrl"]);
  const includeDiffs = input["includeDiffs"] === true;
  return {
    name: textsOf(input["name"])[0] ?? `Monitor ${first}`,
    schedule: {
      text: textsOf(input["scheduleText"])[0] ?? "every 30 minutes",
      timezone: textsOf(input["timezone"])[0] ?? "UTC",
    },
    goal,
    targets: [queries.length > 0 ? { type: "search", queries, ...search } : { type: "scrape", urls }],
    ...(email === undefined ? {} : { notification: { email: { enabled: true, recipients: [email], includeDiffs } } }),
    ...(url === undefined ? {} : { webhook: { url, events: ["monitor.page", "monitor.check.completed"] } }),
  };
}

/** Returns a path with a query of the given values; lists are repeated, empty values left out. */
export function withQuery(path: string, values: Input): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(withoutEmpty(values)))
    for (const each of Array.isArray(value) ? value : [value]) query.append(name, String(each));
  return query.size === 0 ? path : `${path}?${query}`;
}
