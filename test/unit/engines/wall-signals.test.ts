import { describe, expect, test } from "vitest";
import { openPage } from "../../../src/content/page-view.ts";
import { findObstacle } from "../../../src/engines/page-signals.ts";
import { renderWall, WALL_KINDS } from "../../site/wall-kinds.ts";

async function reasonOf(html: string, statusCode = 200, headers: Record<string, string> = {}) {
  const view = await openPage(
    {
      engine: "fetch",
      url: "https://a.example/",
      statusCode,
      headers,
      contentType: "text/html; charset=utf-8",
      body: html,
      warnings: [],
    },
    { clean: { onlyMainContent: true, includeTags: [], excludeTags: [] }, pdf: {}, bytesOnly: false },
  );
  return findObstacle(view)?.reason;
}

const KINDS = Object.entries(WALL_KINDS).map(([name, kind]) => ({ name, kind }));

test("there are at least forty kinds", () => expect(KINDS.length).toBeGreaterThanOrEqual(40));

test.each(KINDS)("$name is a wall", async ({ kind }) => {
  expect(await reasonOf(renderWall(kind), kind.status, kind.headers)).toBe("bot_wall");
});

test.each(KINDS)("$name is a wall in a page of 118 kB", async ({ kind }) => {
  expect(await reasonOf(renderWall(kind, 118_000), kind.status, kind.headers)).toBe("bot_wall");
});

describe("a challenge that is explained in many languages", () => {
  const help =
    "<p>Dieser Vorgang dauert einen Augenblick. Ce processus prend un instant. Questo richiede un momento.</p>";
  test.each(["cloudflare-200", "datadome-200", "human-200", "akamai-challenge", "imperva-interruption", "anubis"])(
    "is a wall: %s",
    async (name) => {
      const kind = WALL_KINDS[name];
      if (kind === undefined) throw new Error(`No kind ${name}`);
      expect(await reasonOf(renderWall({ ...kind, body: kind.body + help.repeat(32) }))).toBe("bot_wall");
    },
  );
});

describe("a page of the site's own is no wall", () => {
  const prose = "<p>Orb-weaving spiders build their webs anew each evening, and eat the old one first.</p>".repeat(40);
  test.each([
    ["with the scripts that observe visitors", `<script src="/_Incapsula_Resource?SWJIYLWA=719d34d31c8e3a6e"></script><script>window._pxAppId='PX1'</script><script src="https://js.datadome.co/tags.js"></script><script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>${prose}`],
    ["with a captcha in its contact form", `<title>Contact us</title><form><input name=q><div class="g-recaptcha" data-sitekey="6Lc"></div></form>${prose}`],
    ["that tells of such pages", `<title>Pardon our interruption: how sites block robots</title><h1>How sites block robots</h1><p>“Access to this page has been denied”, says HUMAN.</p>${prose}`],
    ["of a company of this kind", `<title>Queue-it: virtual waiting rooms</title><h1>Virtual waiting rooms</h1>${prose}`],
    ["short, with a captcha in its form", `<title>Newsletter</title><form><input name=mail><div class="h-captcha"></div></form><p>Our letter comes on Mondays, with the tides of the week and the catch of the day.</p><a href=/a>A</a><a href=/b>B</a><a href=/c>C</a><p>${"It is read by four thousand people in the bay. ".repeat(8)}</p>`],
  ])("%s", async (_what, html) => {
    expect(await reasonOf(html)).toBeUndefined();
  });
}); // prettier-ignore
