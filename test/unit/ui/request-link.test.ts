import { describe, expect, test } from "vitest";
import { operationOf, requestIn, requestLink } from "../../../src/ui/playground/request/request-link.ts";
import type { PlaygroundRequest } from "../../../src/ui/playground/request/request.ts";
import { routeOf } from "../../../src/ui/routes.ts";

const read = (href: string): unknown => requestIn(routeOf(href).query);

describe("a link with a request", () => {
  test.each<PlaygroundRequest>([
    {
      operation: "post /v2/scrape",
      parameters: {},
      body: { url: "https://a.example/ü?x=1&y=+%2F", formats: ["json"] },
    },
    { operation: "get /v2/crawl/{id}", parameters: { id: "a/b", limit: "5" }, body: {} },
  ])("opens $operation with every value", (request) => {
    expect(read(requestLink(request))).toEqual(request);
  });

  test.each([
    ["/v2/crawl", { operation: "post /v2/crawl" }],
    ["/v2/crawl/a1/reextract", { operation: "post /v2/crawl/{id}/reextract", parameters: { id: "a1" } }],
  ])("names the operation of a request at %s", (path, operation) => {
    expect(operationOf({ method: "POST", path })).toEqual(operation);
  });

  test("leaves out files, which a link cannot hold", () => {
    const body = { file: new Blob(["x"]), options: "{}" };
    expect(read(requestLink({ operation: "post /v2/parse", body }))).toMatchObject({ body: { options: "{}" } });
  });

  test("is in the form that the comment documents", () => {
    const request = Buffer.from(JSON.stringify({ body: { url: "https://a.example/" } })).toString("base64url");
    const query = new URLSearchParams({ op: "post /v2/scrape", request });
    expect(requestIn(query)).toEqual({
      operation: "post /v2/scrape",
      parameters: {},
      body: { url: "https://a.example/" },
    });
  });

  test.each(["", "%", "bm90IGpzb24", "WzFd"])("is ignored if its request is %j", (request) => {
    expect(requestIn(new URLSearchParams({ op: "post /v2/scrape", request }))).toBeUndefined();
  });
});
