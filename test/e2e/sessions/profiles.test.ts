import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { inject } from "../inject.ts";
import { endSession, holdWithPlaywright, openSession } from "./browser-client.ts";
import { call, sitePage } from "../client.ts";

/** Holds a session with a profile, works in it and ends it. */
async function withProfile<T>(profile: object, work: (page: Page) => Promise<T>): Promise<T> {
  const session = await openSession({ profile });
  const { browser, page } = await holdWithPlaywright(session.cdpUrl);
  const result = await work(page);
  await browser.close();
  expect((await endSession(session.id)).status).toBe(200);
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

test("a profile brings cookies and storage of all origins and tabs into the next session", async () => {
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
      error: "Another session that saves its changes has this profile",
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
});

async function openWith(profile: object): Promise<{ status: number; error: unknown }> {
  const { status, body } = await call("/v2/browser", { body: { profile } });
  return { status, error: body.error };
}
