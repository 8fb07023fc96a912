import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { inject } from "../inject.ts";
import { endSession, holdWithPlaywright, openSession } from "./browser-client.ts";
import { call, scrape, sitePage } from "../client.ts";
import { soon } from "../soon.ts";

/** Holds a session with a profile, works in it and ends it. */
async function withProfile<T>(profile: object, work: (page: Page) => Promise<T>): Promise<T> {
  const session = await openSession({ profile });
  const { browser, page } = await holdWithPlaywright(session.cdpUrl);
  const result = await work(page);
  await browser.close();
  // A client that tries again: what the session leaves is stored once, and not cut off.
  const ends = await Promise.all([endSession(session.id), endSession(session.id)]);
  expect(ends.map(({ status }) => status)).toEqual([200, 200]);
  return result;
}

const WRITE_DATABASE = `new Promise((resolve, reject) => {
  const opening = indexedDB.open("charts", 3);
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore("buoys", { keyPath: "id" }).createIndex("colour", "colour");
    opening.result.createObjectStore("notes");
  };
  opening.onsuccess = () => {
    const work = opening.result.transaction(["buoys", "notes"], "readwrite");
    work.objectStore("buoys").put({ id: 1, colour: "green", seen: new Date(5), marks: new Map([[1, new Set([2])]]), raw: new Uint8Array([1, 2, 3]) });
    work.objectStore("notes").put("a note", [1, "a"]);
    work.oncomplete = resolve;
    work.onerror = reject;
  };
})`;

const READ_DATABASE = `new Promise((resolve) => {
  const opening = indexedDB.open("charts");
  opening.onsuccess = () => {
    const { result } = opening, work = result.transaction(["buoys", "notes"]);
    const buoy = work.objectStore("buoys").index("colour").get("green"), note = work.objectStore("notes").get([1, "a"]);
    work.oncomplete = () => resolve([result.version, buoy.result.seen instanceof Date, [...buoy.result.marks.get(1)], [...buoy.result.raw], note.result]);
  };
})`;

const other = inject("otherSiteUrl");

test(
  "a profile brings cookies and storage of all origins and tabs into the next session",
  { tags: ["long"] },
  async () => {
    const name = `harbour ${crypto.randomUUID()}`;
    await withProfile({ name }, async (page) => {
      await page.goto(sitePage("/login"));
      await page.getByLabel("Name").fill("halloran");
      await page.getByLabel("Password").fill("seven-fathoms");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL("**/account");
      await page.evaluate("localStorage.setItem('tide', 'high'); sessionStorage.setItem('berth', '17')");
      await page.evaluate(WRITE_DATABASE);
      // In a tab that is closed before the end.
      const tab = await page.context().newPage();
      await tab.goto(`${other}/final`);
      await tab.evaluate("localStorage.setItem('tide', 'low')");
      await tab.close();
      // In tabs that are still open at the end, on pages that one of them has left.
      const crew = await page.context().newPage();
      await crew.goto(sitePage("/final"));
      await crew.evaluate("sessionStorage.setItem('watch', 'dog'); sessionStorage.setItem('berth', '99')");
      await crew.goto(`${other}/final`);
      await crew.evaluate("sessionStorage.setItem('berth', '4')");
      expect(await openWith({ name })).toEqual({
        status: 409,
        error: "Another session uses this profile and saves its changes",
      });
    });
    await withProfile({ name, saveChanges: false }, async (page) => {
      expect(page.url()).toBe("about:blank");
      expect(page.context().pages()).toHaveLength(1);
      await page.goto(sitePage("/account"));
      expect(page.url()).toBe(sitePage("/account"));
      const kept = "[localStorage.tide, sessionStorage.berth, sessionStorage.watch]";
      expect(await page.evaluate(kept)).toEqual(["high", "17", "dog"]);
      expect(await page.evaluate(READ_DATABASE)).toEqual([3, true, [2], [1, 2, 3], "a note"]);
      await page.goto(`${other}/final`);
      expect(await page.evaluate("[localStorage.tide, sessionStorage.berth]")).toEqual(["low", "4"]);
      await page.evaluate("localStorage.setItem('tide', 'gone')");
      // The writer's right came back with its end, and a reader does not stand in the way of the next.
      await withProfile({ name }, async (writer) => {
        await writer.goto(`${other}/final`);
        expect(await writer.evaluate("localStorage.tide")).toBe("low");
        await writer.evaluate("localStorage.setItem('tide', 'slack')");
      });
    });
    await withProfile({ name, saveChanges: false }, async (page) => {
      await page.goto(`${other}/final`);
      expect(await page.evaluate("localStorage.tide")).toBe("slack");
    });
  },
);

test("a profile that is saved in part says so", { tags: ["long"] }, async () => {
  const session = await openSession({ profile: { name: `keys ${crypto.randomUUID()}` } });
  const { browser, page } = await holdWithPlaywright(session.cdpUrl);
  await page.goto(sitePage("/final"));
  await page.evaluate(WRITE_DATABASE);
  // A key that no script can export.
  await page.evaluate(`new Promise(async (resolve, reject) => {
    const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt"]);
    const opening = indexedDB.open("charts");
    opening.onsuccess = () => {
      const work = opening.result.transaction("notes", "readwrite");
      work.objectStore("notes").put(key, "key");
      work.oncomplete = resolve;
      work.onerror = reject;
    };
  })`);
  await browser.close();
  const { status, body } = await endSession(session.id);
  const { warning } = body as { warning?: string };
  expect([status, warning]).toEqual([
    200,
    `The profile's storage of ${new URL(sitePage("/")).origin} is saved without the records of databases that are beyond 20 MB or cannot be stored.`,
  ]);
});

async function openWith(profile: object): Promise<{ status: number; error: unknown }> {
  const { status, body } = await call("/v2/browser", { body: { profile } });
  return { status, error: body.error };
}

const BERTH = "Berth 17, east pontoon";

/** Saves a profile that is logged in, and returns its name. */
async function loggedIn(): Promise<string> {
  const name = `berth ${crypto.randomUUID()}`;
  await withProfile({ name }, async (page) => {
    await page.goto(sitePage("/login"));
    await page.getByLabel("Name").fill("halloran");
    await page.getByLabel("Password").fill("seven-fathoms");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL("**/account");
    await page.evaluate("localStorage.setItem('tide', 'high'); sessionStorage.setItem('berth', '17')");
  });
  return name;
}

interface JobPages {
  id: string;
  status: string;
  data: { markdown: string; metadata: { sourceURL: string } }[];
}

/** Starts a job, waits for its end, and returns its pages by path. */
async function pagesOf(path: string, body: object): Promise<Record<string, string>> {
  const started = await call(path, { body });
  expect(started.text).toContain('"success":true');
  const { id } = started.body as unknown as JobPages;
  const look = async (): Promise<JobPages> => (await call(`${path}/${id}`)).body as unknown as JobPages;
  await soon(async () => (await look()).status).toBe("completed");
  return Object.fromEntries(
    (await look()).data.map(({ markdown, metadata }) => [new URL(metadata.sourceURL).pathname, markdown]),
  );
}

test("a saved login opens pages for scrapes, crawls, batches, maps and monitors, and no other site receives it", async () => {
  const name = await loggedIn();
  const profile = { name };
  const byFetch = await scrape("/account", { profile });
  expect(byFetch.body.data).toMatchObject({ markdown: expect.stringContaining(BERTH) as string });
  expect(byFetch.body.data.metadata).toMatchObject({ statusCode: 200, engine: "fetch" });
  const inBrowser = await scrape("/account/berth", { profile, waitFor: 1 });
  expect(inBrowser.body.data.markdown).toContain("The tide is high, berth 17");

  const { scrapeId } = inBrowser.body.data.metadata as unknown as { scrapeId: string };
  const interact = await call(`/v2/scrape/${scrapeId}/interact`, { body: { code: "await page.innerText('body')" } });
  expect(interact.text).toContain("The tide is high, berth 17");
  await call(`/v2/scrape/${scrapeId}/interact`, { method: "DELETE" });

  const elsewhere = await call("/v2/scrape", { body: { url: "http://harbour.example/account", profile } });
  expect([elsewhere.status, elsewhere.body.code]).toEqual([400, "PROFILE_FOREIGN_ORIGIN"]);

  // Nothing of it is in the cache, neither for the team nor for another load.
  const without = await call("/v2/scrape", { body: { url: sitePage("/account"), maxAge: 3_600_000 } });
  expect(without.body.data.markdown).not.toContain(BERTH);
  expect(without.body.data.metadata.cacheState).toBe("miss");

  const crawled = await pagesOf("/v2/crawl", {
    url: sitePage("/account/berth"),
    crawlEntireDomain: true,
    includePaths: ["^/account"],
    sitemap: "skip",
    scrapeOptions: { profile },
  });
  expect(crawled["/account"]).toContain(BERTH);
  expect(Object.keys(crawled).toSorted()).toEqual(["/account", "/account/berth"]);
  const batch = await pagesOf("/v2/batch/scrape", { urls: [sitePage("/account")], profile });
  expect(batch["/account"]).toContain(BERTH);

  const map = await call("/v2/map", {
    body: { url: sitePage("/account/berth"), sitemap: "skip", useIndex: false, filterByPath: false, profile },
  });
  expect(map.text).toContain(sitePage("/account"));

  const targets = [{ type: "scrape", urls: [sitePage("/account")], scrapeOptions: { profile } }];
  const made = await call("/v2/monitor", { body: { name, schedule: { text: "hourly" }, targets } });
  const monitor = (made.body.data as unknown as { id: string }).id;
  const run = await call(`/v2/monitor/${monitor}/run`, { method: "POST", body: {} });
  const check = (run.body.data as unknown as { id: string }).id;
  const pages = async (): Promise<string> => (await call(`/v2/monitor/${monitor}/checks/${check}`)).text;
  await soon(pages).toContain('"title":"Your berth | Harrow Bay"');
  await call(`/v2/monitor/${monitor}`, { method: "DELETE" });
}, 120_000);
