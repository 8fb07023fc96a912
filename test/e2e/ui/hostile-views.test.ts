import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { inject } from "../inject.ts";
import { call, sitePage } from "../client.ts";
import { closeContexts } from "../local-browser.ts";
import { newReader, openView, type Reader } from "./browser.ts";
import {
  hostileReference,
  LIST_MARKUP,
  makeHostileData,
  MARK,
  PAYLOAD,
  SCRIPT_URL,
  WATCH,
  type HostileData,
} from "./hostile-data.ts";
import { isShort, shortAndLong } from "../../sample.ts";

let data: HostileData;
let reader: Reader;
const found: string[] = [];
/** Requests whose response is on its way. */
let pending = 0;
let isChanging = false;

beforeAll(async () => {
  data = await makeHostileData();
  reader = await newReader();
  const { page } = reader;
  const context = page.context();
  await context.addInitScript(WATCH);
  context.on("console", (message) => {
    if (message.text().startsWith("HOSTILE")) found.push(`${message.page()?.url()}: ${message.text()}`);
  });
  context.on("dialog", (dialog) => {
    found.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.route(/\/v[12]\//, async (route) => {
    pending += 1;
    try {
      const response = await route.fetch();
      const isJson = response.headers()["content-type"]?.startsWith("application/json") === true;
      await (isChanging && isJson ? route.fulfill({ response, json: changed(await response.json()) }) : route.fulfill({ response })); // prettier-ignore
    } catch {
      // The view was left.
      await route.abort().catch(() => undefined);
    } finally {
      pending -= 1;
    }
  });
  await openView(page, "start", { isAdmin: true });
}, 240_000);
afterEach(() => expect(found.splice(0)).toEqual([]));
afterAll(async () => {
  await reader.close();
  await closeContexts();
  data.close();
});

/** A response whose texts are all payloads: what the service never answers today, and a view must bear all the same. */
function changed(value: unknown, name = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => changed(item, name));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, changed(item, key)]));
  }
  if (typeof value !== "string" || /^(?:next|id|.*Id|.*At|.*Path|status|kind|type)$/.test(name)) return value;
  if (/^(?:https?|wss?):/.test(value)) return SCRIPT_URL;
  // Words that views compare, numbers and times.
  return /^[\w.:+/-]*$/.test(value) && !/title|name|text|message|error/i.test(name) ? value : `${value} ${PAYLOAD}`;
}

/** Waits until the view has all it has asked for, and looks at it. @returns its text */
async function lookAt(page: Page): Promise<string> {
  for (let rests = 0; rests < 3; rests = pending === 0 ? rests + 1 : 0) await page.waitForTimeout(40);
  for (const markup of await page.evaluate<string[]>(LIST_MARKUP)) found.push(`${page.url()}: ${markup}`);
  return await page.evaluate<string>("document.body.innerText + [...document.querySelectorAll('input, textarea')].map((field) => field.value).join(' ')"); // prettier-ignore
}

/** Opens every part of a view. @returns whether the payload was shown */
async function explore(page: Page, view: string): Promise<boolean> {
  await page.goto(`${inject("serviceUrl")}/#/${view}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  let text = await lookAt(page);
  await page.evaluate("document.querySelectorAll('details').forEach((details) => (details.open = true))");
  for (const tab of await page.getByRole("tab").all()) {
    await tab.click({ timeout: 1_000 }).catch(() => undefined);
    text += await lookAt(page);
  }
  text += await lookAt(page);
  return text.includes(MARK);
}

const VIEWS: [name: string, view: () => string][] = [
  ["jobs", () => "jobs"],
  ["a crawl", () => `jobs/${data.crawlId}`],
  ["a batch", () => `jobs/${data.batchId}`],
  ["monitors", () => "monitors"],
  ["a monitor", () => `monitors/${data.monitorId}`],
  ["the form of a monitor", () => `monitors/${data.monitorId}?edit=`],
  ["sessions", () => "sessions"],
  ["a session", () => `sessions/${data.sessionId}`],
  ["usage", () => "usage"],
  ["webhooks", () => "webhooks"],
  ["keys", () => "keys"],
];

describe("texts of a hostile site and a hostile user", { timeout: 180_000 }, () => {
  for (const { tags, entries } of shortAndLong(
    [
      { what: "as the service answers them", isAll: false },
      { what: "in every text of every response", isAll: true },
    ],
    ({ isAll }) => !isAll,
  ))
    test.each(entries)("run in no view of the dashboard, $what", { tags }, async ({ isAll }) => {
      isChanging = isAll;
      const silent: string[] = [];
      for (const [name, view] of VIEWS) if (!(await explore(reader.page, view()))) silent.push(name);
      // A view that does not show the payload proves nothing.
      expect(silent).toEqual([]);
      for (const view of ["connect", "start", "playground", "webhooks/test", `search?q=${MARK}`])
        await explore(reader.page, view);
    });

  test("run in no delivery, no search result and no result of the playground", async () => {
    const { page } = reader;
    for (const isAll of isShort() ? [false] : [false, true]) {
      isChanging = isAll;
      await page.goto(`${inject("serviceUrl")}/#/webhooks`);
      await page
        .getByRole("button", { name: /webhook\.test/ })
        .first()
        .click();
      expect(await lookAt(page)).toContain(MARK);
      await page.keyboard.press("Escape");
      await page.goto(`${inject("serviceUrl")}/#/search`);
      await page.getByLabel("Search query").fill("harbour master paragraph");
      await page.getByRole("search").getByRole("button", { name: "Search" }).click();
      await page.locator(".result").first().waitFor();
      expect(await lookAt(page)).toContain(MARK);
      await page.locator(".result").filter({ hasText: MARK }).getByRole("button").first().click();
      expect(await lookAt(page)).toContain(MARK);
      for (const tab of await page.getByRole("dialog").getByRole("tab").all()) {
        await tab.click();
        await lookAt(page);
      }
      await page.keyboard.press("Escape");
    }
  });

  test("run in no live view and no player of a recording", async () => {
    const page = await reader.page.context().newPage();
    for (const url of data.viewUrls) {
      await page.goto(url);
      await page.locator("#tabs").getByText(MARK).first().waitFor();
      await lookAt(page);
    }
    await page.goto(await data.endSession());
    await page.getByText(MARK).first().waitFor();
    await lookAt(page);
    await page.close();
  });

  // The short form opens this address in reference.test.ts.
  test("run in no page of the documentation, which loads no description but its own", { tags: ["long"] }, async () => {
    const page = await reader.page.context().newPage();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(hostileReference());
    await page.getByText("/v2/scrape").first().waitFor();
    await lookAt(page);
    const origins = new Set(asked.filter((url) => url.startsWith("http")).map((url) => new URL(url).origin));
    expect([...origins]).toEqual([inject("serviceUrl")]);
    await page.close();
  });

  test("run in no response that a browser opens by itself", async () => {
    const { body } = await call("/v2/scrape", {
      body: { url: sitePage("/final"), formats: ["screenshot"], maxAge: 0 },
    });
    const page = await reader.page.context().newPage();
    const service = inject("serviceUrl");
    const paths = [`/v2/${PAYLOAD}`, `/${PAYLOAD}`, `/view/${PAYLOAD}`, `/replay/${PAYLOAD}?token=${PAYLOAD}`, `/docs/${PAYLOAD}`, `/v2/files/${PAYLOAD}`]; // prettier-ignore
    for (const address of [...paths.map((path) => service + path), String(body.data.screenshot)]) {
      const response = await page.goto(address.replace("#", "%23"));
      expect(response?.headers()["x-content-type-options"], address).toBe("nosniff");
      await lookAt(page);
    }
    const api = await fetch(`${service}/v2/crawl/${data.crawlId}/urls?format=csv`, { headers: { authorization: `Bearer ${inject("apiKey")}` } }); // prettier-ignore
    expect(api.headers.get("x-content-type-options")).toBe("nosniff");
    await page.close();
  });
});
