import { expect, test } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import type { PageResult } from "../../../../src/core/crawl/frontier.ts";
import type { ItemTask } from "../../../../src/services/crawl/item-task.ts";
import { unreadPage } from "../../../../src/services/crawl/unread-page.ts";

const PAGE = { key: "page", version: {} };
const FAILURE = { key: "page", attempt: 1, kind: "failed", code: "SCRAPE_SSL_ERROR", error: "Expired", retryable: false } satisfies PageResult; // prettier-ignore

/** The outcome of a page that was refused, whose links in the earlier crawl are read like this. */
async function refused(links: () => Promise<{ links: string[] } | undefined>) {
  const follow = (_landing: unknown, found: () => readonly string[]) => ({ candidates: found(), filtered: [] });
  const task = { item: { key: "page", url: "https://a.example/" }, earlier: { page: PAGE, links }, kind: { follow }, specification: {} }; // prettier-ignore
  return await unreadPage(task as unknown as ItemTask, FAILURE);
}

test("a page that fails leads to the pages that it has led to before", async () => {
  const { result, discoveries } = await refused(async () => ({ links: ["https://a.example/b"] }));
  expect(result).toEqual({ ...FAILURE, carried: PAGE });
  expect(discoveries.candidates).toEqual(["https://a.example/b"]);
});

test("a page that fails is tried again when its earlier links cannot be read now, and not when they never can", async () => {
  const now = await refused(() => Promise.reject(new Error("The store is away")));
  expect(now.result).toEqual({ ...FAILURE, retryable: true, carried: PAGE });
  const never = await refused(() => Promise.reject(new AppError("STORED_STATE_UNREADABLE")));
  expect(never.result).toEqual({ ...FAILURE, carried: PAGE });
  expect((await refused(async () => undefined)).discoveries.candidates).toEqual([]);
});
