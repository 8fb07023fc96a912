import { setTimeout as sleep } from "node:timers/promises";

/** One answer, or what came instead of one. */
export interface Answer {
  /** 0 when the connection broke. */
  status: number;
  text: string;
  body: Record<string, unknown>;
}

/** A request as it ended: for the table of a minute. */
interface Sample {
  kind: string;
  ms: number;
  /** `200`, an error's code, or `broken` for a connection that ended with the service. */
  outcome: string;
}

const RETRY_MS = 300;
const REQUEST_TIMEOUT_MS = 180_000;
/** Answers of a service that is starting, or whose parts are. */
const UNAVAILABLE: ReadonlySet<number> = new Set([0, 502, 503]);

/** Speaks to the service as a client would that knows about crashes: it repeats what had no answer, with the same key. */
export class Caller {
  readonly samples: Sample[] = [];
  readonly #url: string;
  readonly #key: string;

  constructor({ url, key }: { url: string; key: string }) {
    this.#url = url;
    this.#key = key;
  }

  /**
   * Asks until there is an answer. A POST carries one idempotency key for all its tries.
   * @throws Error when there is none for three minutes.
   */
  async ask(kind: string, path: string, body?: object): Promise<Answer> {
    const headers: Record<string, string> = body === undefined ? {} : { "x-idempotency-key": crypto.randomUUID() };
    const startedAtMs = Date.now();
    for (;;) {
      const answer = await this.once(kind, path, { ...(body === undefined ? {} : { body }), headers });
      if (!UNAVAILABLE.has(answer.status)) return answer;
      if (Date.now() - startedAtMs > REQUEST_TIMEOUT_MS) throw new Error(`${path}: no answer; last: ${answer.text}`);
      await sleep(RETRY_MS);
    }
  }

  /** Asks once. */
  async once(
    kind: string,
    path: string,
    { method, body, headers = {} }: { method?: string; body?: object; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const startedAt = performance.now();
    const answer = await this.#send(path, { method, body, headers });
    const { status, body: parsed } = answer;
    const code = typeof parsed["code"] === "string" ? parsed["code"] : String(status);
    const isFailure = status !== 200 || parsed["success"] === false;
    this.samples.push({
      kind,
      ms: performance.now() - startedAt,
      outcome: status === 0 ? "broken" : isFailure ? code : "200",
    });
    return answer;
  }

  /** Waits until the service answers. */
  async healthy(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !(await this.responds())) await sleep(RETRY_MS);
  }

  /** @returns true when the service answers `/health` now. */
  async responds(): Promise<boolean> {
    return (await this.#send("/health", {})).status === 200;
  }

  async #send(
    path: string,
    {
      method,
      body,
      headers = {},
    }: { method?: string | undefined; body?: object | undefined; headers?: Record<string, string> },
  ): Promise<Answer> {
    try {
      const response = await fetch(`${this.#url}${path}`, {
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: {
          authorization: `Bearer ${this.#key}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      const text = await response.text();
      return { status: response.status, text, body: parse(text) };
    } catch (error) {
      return { status: 0, text: String(error), body: {} };
    }
  }
}

/** wrangler's own answers while workerd is away are no JSON. */
function parse(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}
