import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { endSession, holdWithPlaywright, openSession } from "./browser-client.ts";
import { call, sitePage } from "./client.ts";
import { startService, type TestService } from "./service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService({ settings: { PROFILE_ENCRYPTION_KEY: "5a".repeat(32) } });
});
afterAll(() => service.stop());

/** Holds a session with a profile, works in it and ends it. */
async function withProfile<T>(profile: object, work: (page: Page) => Promise<T>): Promise<T> {
  const session = await openSession({ profile }, service);
  const { browser, page } = await holdWithPlaywright(session.cdpUrl);
  const result = await work(page);
  await browser.close();
  expect((await endSession(session.id, service)).status).toBe(200);
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

test("a profile brings cookies and storage of all origins into the next session", async () => {
  const other = inject("otherSiteUrl");
  await withProfile({ name: "harbour" }, async (page) => {
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
  });
  await withProfile({ name: "harbour", saveChanges: false }, async (page) => {
    expect(page.url()).toBe("about:blank");
    expect(page.context().pages()).toHaveLength(1);
    await page.goto(sitePage("/account"));
    expect(page.url()).toBe(sitePage("/account"));
    expect(await page.evaluate("[localStorage.tide, sessionStorage.berth]")).toEqual(["high", "17"]);
    expect(await page.evaluate(READ_DATABASE)).toEqual([3, true, [2], [1, 2, 3], "a note"]);
    await page.goto(`${other}/final`);
    expect(await page.evaluate("localStorage.tide")).toBe("low");
    await page.evaluate("localStorage.setItem('tide', 'gone')");
  });
  await withProfile({ name: "harbour", saveChanges: false }, async (page) => {
    await page.goto(`${other}/final`);
    expect(await page.evaluate("localStorage.tide")).toBe("low");
  });
});

test("a profile is written by one session at a time", async () => {
  const first = await openSession({ profile: { name: "single" } }, service);
  const second = await call("/v2/browser", { body: { profile: { name: "single" } }, service });
  expect({ status: second.status, error: second.body.error }).toEqual({
    status: 409,
    error: "Another session that saves its changes has this profile",
  });
  const reader = await openSession({ profile: { name: "single", saveChanges: false } }, service);
  await endSession(reader.id, service);
  await endSession(first.id, service);
  const third = await openSession({ profile: { name: "single" } }, service);
  await endSession(third.id, service);
});

test("a deployment without a key refuses profiles, and says why", async () => {
  const { status, body } = await call("/v2/browser", { body: { profile: { name: "x" } } });
  expect({ status, error: body.error }).toEqual({
    status: 503,
    error: expect.stringContaining("PROFILE_ENCRYPTION_KEY"),
  });
});
