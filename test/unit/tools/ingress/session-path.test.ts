import { expect, test } from "vitest";
import { sessionOf } from "../../../../src/tools/ingress/session-path.ts";

test("the paths of one session name it, however they are written", () => {
  for (const target of [
    "/v2/browser/0a-1b/cdp?token=x",
    "/v2/interact/0a-1b/cdp/devtools/page/T?token=x",
    "/view/0a-1b/socket?interactive=true&token=x",
    "/view/0a-1b?token=x",
    "/v2/browser/0a-1b?token=x",
    "/v2/%62rowser/%30A-1b/cdp/page/T?token=x",
    "/x/../v2/./browser/0a-1b/view?a=/b&token=x",
    "/x/%2e%2e/v2/browser/0a-1b?token=x#y",
    "http://host/v2/browser/0a-1b/cdp?token=%78",
  ]) {
    expect(sessionOf(target)).toEqual({ id: "0a-1b", token: "x", isDevTools: !target.startsWith("/view/") });
  }
  expect(sessionOf("/v2/browser/other/cdp")).toEqual({ id: "other", token: undefined, isDevTools: true });
});

test.each([
  "/v2/crawl/%ff?token=x",
  "/v2/batch/scrape/0a-1b",
  "/v2/browser",
  "/v2/scrape/0a-1b/interact",
  "/health?token=x",
  "*",
])("%s names no session", (target) => {
  expect(sessionOf(target)).toBeUndefined();
});
