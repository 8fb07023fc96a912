import { AppError } from "../../core/errors.ts";

/** A response of a fetch service carries it: `response` for a site's response, otherwise the reason of the failure. */
export const FETCH_OUTCOME_HEADER = "x-fetch-outcome";
const DENIED_STATUSES = new Set([401, 403, 407]);

const FAILURES = {
  dns: ["SCRAPE_DNS_RESOLUTION_ERROR", "The host name of this URL does not resolve"],
  timeout: ["SCRAPE_TIMEOUT", "The site did not answer in time"],
  tls: ["SCRAPE_SSL_ERROR", "The site's TLS certificate was not accepted"],
  connect: ["SCRAPE_SITE_ERROR", "The site could not be reached"],
  refused: ["SAFE_MODE_BLOCKED", "The fetch service refuses this URL"],
} as const;

interface FetchServiceOptions {
  url: string;
  token: string | undefined;
  /** Name of the service in messages. */
  label: string;
  /** Sends requests to the service itself. */
  fetcher: typeof fetch;
}

/**
 * Creates a `fetch` that hands each request to a service of the operator (src/docs/operation/egress.md, “A fetch
 * service”), which returns the site's response.
 * @throws AppError `SCRAPE_PROXY_UNREACHABLE` or `SCRAPE_PROXY_DENIED` for failures of the service.
 */
export function createServiceFetch({ url, token, label, fetcher }: FetchServiceOptions): typeof fetch {
  return async (input, init = {}) => {
    const request = {
      url: input instanceof Request ? input.url : String(input),
      method: init.method ?? "GET",
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(init.body === undefined || init.body === null ? {} : { body: toBase64(init.body) }),
    };
    const response = await ask();
    const outcome = response.headers.get(FETCH_OUTCOME_HEADER);
    if (outcome === "response") return response;
    await response.body?.cancel();
    throw failureOf(outcome, response.status, label);

    async function ask(): Promise<Response> {
      try {
        return await fetcher(url, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          },
          body: JSON.stringify(request),
          redirect: "manual",
          ...(init.signal === undefined ? {} : { signal: init.signal }),
        });
      } catch (error) {
        if (init.signal?.aborted === true) throw error;
        throw new AppError("SCRAPE_PROXY_UNREACHABLE", `The fetch service ${label} could not be reached`, {
          cause: error,
        });
      }
    }
  };
}

function failureOf(outcome: string | null, status: number, label: string): AppError {
  if (outcome !== null && Object.hasOwn(FAILURES, outcome)) {
    const [code, message] = FAILURES[outcome as keyof typeof FAILURES];
    return new AppError(code, message);
  }
  if (DENIED_STATUSES.has(status)) {
    return new AppError("SCRAPE_PROXY_DENIED", `The fetch service ${label} refused its token (status ${status})`);
  }
  return new AppError(
    "SCRAPE_PROXY_UNREACHABLE",
    `The fetch service ${label} returned no response of a site (status ${status}, without ${FETCH_OUTCOME_HEADER})`,
  );
}

function toBase64(body: NonNullable<RequestInit["body"]>): string {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  if (!(bytes instanceof Uint8Array))
    throw new TypeError("Requests to a fetch service have text or bytes as their body");
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
