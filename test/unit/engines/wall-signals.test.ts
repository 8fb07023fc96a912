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

const KINDS = Object.entries(WALL_KINDS).map(([name, kind]) => ({ name, kind, reason: reasonFor(name) }));

function reasonFor(name: string): string {
  return name === "akamai-denied" ? "access_denied" : "bot_wall";
}

test("there are at least forty kinds", () => expect(KINDS.length).toBeGreaterThanOrEqual(40));

test.each(KINDS)("$name is a wall", async ({ kind, reason }) => {
  expect(await reasonOf(renderWall(kind), kind.status, kind.headers)).toBe(reason);
});

test.each(KINDS)("$name is a wall in a page of 118 kB", async ({ kind, reason }) => {
  expect(await reasonOf(renderWall(kind, 118_000), kind.status, kind.headers)).toBe(reason);
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
    ["of a Spanish newspaper behind Cloudflare", `<title>Un momento histórico para el puerto | Diario</title><script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>${prose}`],
    ["about a service of this kind", `<title>DDoS-Guard - Wikipedia</title><p>DDoS-Guard is a company.</p>${prose}`],
    ["about another", `<title>Radware - Wikipedia</title><p>It bought ShieldSquare.</p>${prose}`],
    ["that compares such services", `<title>BitNinja vs Imunify360</title>${prose}`],
    ["that sells waiting rooms", `<title>Queue-it: Virtual waiting room</title><script src="https://static.queue-it.net/a.js"></script>${prose}`],
    ["that documents a firewall", `<title>Azure WAF and Azure Policy | Microsoft Learn</title>${prose}`],
    ["of a company with security in its name, with a captcha", `<title>Contact | Acme Home Security</title><p>Write to us about locks, doors and alarms. ${"We answer within a day. ".repeat(12)}</p><form><div class="h-captcha"></div></form>`],
    ["of human resources, with a captcha", `<title>Human Resources - Contact us</title><p>${"Applications are read by people. ".repeat(12)}</p><form><div class="g-recaptcha"></div></form>`],
    ["of a boat with the name of a firewall", `<title>Barracuda Fishing Charters</title><p>${"We fish for barracuda off the bay. ".repeat(12)}</p><form><div class="g-recaptcha"></div></form>`],
    ["of a host that offers protection", `<title>Hosting plans</title><ul><li>Imunify360</li><li>Backups</li></ul><p>${"Every plan has ten mailboxes. ".repeat(12)}</p>`],
    ["with a script of a firewall", `<title>Tides</title><script>window["bobcmn"]="1"</script><script src="/TSPD/08?type=9"></script><p>${"High water is at ten past six. ".repeat(12)}</p>`],
    ["of a forum that quotes a refusal", `<title>Forum: upload fails</title><p>I get "The requested URL was rejected. Please consult with your administrator." ${"What can I do about it? ".repeat(40)}</p>`],
    ["short, with a captcha in its form", `<title>Newsletter</title><form><input name=mail><div class="h-captcha"></div></form><p>Our letter comes on Mondays, with the tides of the week and the catch of the day.</p><a href=/a>A</a><a href=/b>B</a><a href=/c>C</a><p>${"It is read by four thousand people in the bay. ".repeat(8)}</p>`],
  ])("%s", async (_what, html) => {
    expect(await reasonOf(html)).toBeUndefined();
  });
}); // prettier-ignore
