import { expect, test } from "vitest";
import { toShownLine } from "../../../../src/tools/setup/service-line.ts";

const request = (fields: object): string =>
  JSON.stringify({
    event: "request",
    requestId: "r",
    method: "POST",
    route: "/v2/scrape",
    status: 200,
    ms: 12,
    ...fields,
  });

test.each([
  ["a request", request({}), "POST /v2/scrape 200 (12 ms)"],
  [
    "a refusal with its code",
    request({ status: 402, code: "INSUFFICIENT_CREDITS" }),
    "POST /v2/scrape 402 INSUFFICIENT_CREDITS (12 ms)",
  ],
  ["no probe of its own", request({ method: "GET", route: "/health" }), undefined],
  ["a probe that fails", request({ method: "GET", route: "/health", status: 500 }), "GET /health 500 (12 ms)"],
  ["no run of a job", `{"event":"job_run","jobId":"j"}`, undefined],
  [
    "any other event as it is",
    `{"event":"scrape_not_stored","message":"full"}`,
    `{"event":"scrape_not_stored","message":"full"}`,
  ],
  ["a request line of another form as it is", `{"event":"request"}`, `{"event":"request"}`],
  ["a request line that is cut off as it is", `{"event":"request","method":`, `{"event":"request","method":`],
  ["no line of wrangler", "[wrangler:info] GET / 200 OK (3ms)", undefined],
])("shows %s", (_, line, shown) => {
  expect(toShownLine(line)).toBe(shown);
});
