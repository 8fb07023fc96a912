import { expect, test } from "vitest";
import { sessionPath } from "../../../../src/tools/ingress/tunnel.ts";

test("the clients of one session are one group, however its path is written", () => {
  for (const target of [
    "/v2/browser/0a-1b/cdp?token=x",
    "/v2/browser/0a-1b",
    "/v2/%62rowser/%30A-1b/cdp/page/T",
    "/x/../v2/./browser/0a-1b/view?a=/b",
    "/x/%2e%2e/v2/browser/0a-1b",
    "http://host/v2/browser/0a-1b/cdp",
  ]) {
    expect(sessionPath(target)).toBe("/v2/browser/0a-1b");
  }
  expect(sessionPath("/v2/browser/other/cdp")).not.toBe(sessionPath("/v2/browser/0a-1b/cdp"));
  expect(sessionPath("/v2/crawl/%ff")).toBe("/v2/crawl/%ff");
});
