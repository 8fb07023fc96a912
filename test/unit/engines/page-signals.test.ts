import { expect, test } from "vitest";
import { openPage } from "../../../src/content/page-view.ts";
import { findObstacle } from "../../../src/engines/page-signals.ts";

const PROSE = "<p>Orb-weaving spiders build their webs anew each evening, and eat the old one first.</p>".repeat(12);

async function obstacleOf(
  html: string,
  { statusCode = 200, headers = {} }: { statusCode?: number; headers?: Record<string, string> } = {},
) {
  const view = await openPage(
    {
      engine: "fetch",
      url: "https://a.example/",
      statusCode,
      headers,
      contentType: "text/html",
      body: html,
      warnings: [],
    },
    { clean: { onlyMainContent: true, includeTags: [], excludeTags: [] }, pdf: {}, bytesOnly: false },
  );
  return findObstacle(view)?.reason;
}

test.each([
  ["an article", `<h1>Webs</h1>${PROSE}`],
  ["an article with scripts", `<div id="root">${PROSE}</div><script src="a.js"></script>`],
  [
    "an article about captchas",
    `<h1>How captchas work</h1><p>Please complete the captcha, say the sites.</p>${PROSE.repeat(4)}`,
  ],
  ["a short page without scripts", "<h1>Hello</h1><p>One line.</p>"],
  [
    "a short page with scripts and links",
    "<h1>Links</h1><ul><li><a href=/a>Alpha</a><li><a href=/b>Beta</a><li><a href=/c>Gamma</a></ul><script src=a.js></script>",
  ],
  ["a long article that speaks of a 404", `<h1>Why 404 pages matter</h1>${PROSE.repeat(4)}`],
  ["an article with a login form", `${PROSE.repeat(4)}<form><input type=password></form>`],
  [
    "a noscript hint beside full content",
    `${PROSE}<noscript>Please enable JavaScript</noscript><script src=a.js></script>`,
  ],
])("%s has no obstacle", async (_what, html) => {
  expect(await obstacleOf(html)).toBeUndefined();
});

test.each([
  ["app_shell", `<div id="root"></div><script src="/app.js"></script>`, {}],
  ["app_shell", `<div id="__next"></div><p>Loading…</p><script src="/app.js"></script>`, {}],
  ["app_shell", `<my-application></my-application><script type=module src="/app.js"></script>`, {}],
  [
    "noscript_wall",
    `<div id="x">…</div><noscript>You need to enable JavaScript to run this app.</noscript><script src="/a.js"></script>`,
    {},
  ],
  ["app_shell", `<h1>Menu</h1><p>One moment</p><script src="/a.js"></script>`, {}],
  ["framed_content", `<h1>Window</h1><iframe src="/framed"></iframe>`, {}],
  ["meta_refresh", `<meta http-equiv="refresh" content="0; url=/next"><p>Moved</p>`, {}],
  ["meta_refresh", "<p>Moved</p>", { headers: { refresh: "0.5; url=/next" } }],
  [
    "bot_wall",
    `<title>Just a moment...</title><p>Checking your browser</p><script src="/cdn-cgi/challenge-platform/a.js"></script>`,
    { statusCode: 403 },
  ],
  ["bot_wall", `<title>Attention Required!</title><p>Verify you are human</p>`, { statusCode: 503 }],
  [
    "bot_wall",
    `<p>Ordinary words of some length that give nothing away at all.</p>`,
    { statusCode: 403, headers: { "cf-mitigated": "challenge" } },
  ],
  ["access_denied", `<h1>Access to this page has been denied</h1><p>Reference 18.2</p>`, { statusCode: 403 }],
  ["login_wall", `<form><label>Name <input name=u></label><input type="password"></form><p>Please log in</p>`, {}],
  ["soft_404", `<title>Page not found</title><h1>Page not found</h1><p>Try the search.</p>`, {}],
])("%s is recognised", async (reason, html, response) => {
  expect(await obstacleOf(html, response)).toBe(reason);
});

test("a real 404 is no soft one", async () => {
  expect(await obstacleOf("<h1>Page not found</h1>", { statusCode: 404 })).toBeUndefined();
});
