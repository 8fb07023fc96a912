import { describe, expect, test } from "vitest";
import { NewestFirst, readLinked, readParts } from "../../../src/ui/api/read-parts.ts";

const ITEMS = Array.from({ length: 250 }, (_, at) => at);

describe("a list in parts", () => {
  const read = async (path: string) => {
    const at = Number(path);
    const items = ITEMS.slice(at, at + 100);
    return { items, next: at + 100 < ITEMS.length ? String(at + 100) : undefined };
  };

  test.each([
    { count: 25, read: 100, hasMore: true },
    { count: 101, read: 200, hasMore: true },
    { count: 1_000, read: 250, hasMore: false },
  ])("is read until it has $count items or ends", async ({ count, read: length, hasMore }) => {
    expect(await readParts("0", count, read)).toEqual({ items: ITEMS.slice(0, length), hasMore });
  });

  test("ends at an empty part, also if that names a next one", async () => {
    const empty = async () => ({ items: [], next: "again" });
    expect(await readParts("first", 10, empty)).toEqual({ items: [], hasMore: false });
  });
});

test("a list with links is read by them, also after a response with fewer items than its limit", async () => {
  const paths: string[] = [];
  const read = async (path: string): Promise<{ data: number[]; next?: string }> => {
    paths.push(path);
    const offset = Number(new URLSearchParams(path.split("?")[1]).get("offset"));
    const end = offset + (offset === 0 ? 3 : 100);
    const next = { next: `https://api.example/list?limit=100&offset=${end}` };
    return { data: ITEMS.slice(offset, end), ...(end < ITEMS.length ? next : {}) };
  };
  const list = "/list?limit=100";
  expect(await readLinked(list, 3, read)).toEqual({ items: ITEMS.slice(0, 3), hasMore: true });
  paths.splice(0);
  expect(await readLinked(list, 100, read)).toEqual({ items: ITEMS.slice(0, 103), hasMore: true });
  expect(paths).toEqual([list, "/list?limit=100&offset=3"]);
  expect(await readLinked(list, 300, read)).toEqual({ items: ITEMS, hasMore: false });
});

describe("a list that is read again, newest first,", () => {
  interface Check {
    id: string;
    isOpen?: boolean;
  }

  /** A list of checks on a server, newest first, and the requests for it. */
  function server(length: number) {
    const checks: Check[] = Array.from({ length }, (_, at) => ({ id: `check ${length - at}` }));
    const offsets: number[] = [];
    const list = new NewestFirst<Check>({ limit: 50, isFinal: ({ isOpen }) => isOpen !== true });
    const read = async (count: number) => {
      offsets.splice(0);
      return await list.read("/checks", count, async (path) => {
        const offset = Number(new URLSearchParams(path.split("?")[1]).get("offset"));
        offsets.push(offset);
        return checks.slice(offset, offset + 50).map((check) => ({ ...check }));
      });
    };
    return { checks, offsets, read };
  }

  test("reads its first part alone once the others are known", async () => {
    const { checks, offsets, read } = server(180);
    expect(await read(150)).toEqual({ items: checks.slice(0, 150), hasMore: true });
    expect(offsets).toEqual([0, 50, 100]);
    expect(await read(150)).toEqual({ items: checks.slice(0, 150), hasMore: true });
    expect(offsets).toEqual([0]);
    expect(await read(200)).toEqual({ items: checks, hasMore: false });
    expect(offsets).toEqual([0, 150]);
    expect(await read(200)).toEqual({ items: checks, hasMore: false });
    expect(offsets).toEqual([0]);
  });

  test("has new checks and what changed of the newest ones, each once", async () => {
    const { checks, offsets, read } = server(120);
    checks.unshift({ id: "running", isOpen: true });
    await read(100);
    checks[0] = { id: "running" };
    checks.unshift({ id: "newest", isOpen: true });
    expect(await read(100)).toEqual({ items: checks.slice(0, 101), hasMore: true });
    expect(offsets).toEqual([0]);
    expect(await read(150)).toEqual({ items: checks, hasMore: false });
    expect(offsets).toEqual([0, 101]);
  });

  test("reads as far as a known check, where more came than a part has", async () => {
    const { checks, offsets, read } = server(120);
    await read(150);
    checks.unshift(...Array.from({ length: 60 }, (_, at) => ({ id: `later ${at}` })));
    expect(await read(200)).toEqual({ items: checks, hasMore: false });
    expect(offsets).toEqual([0, 50]);
  });

  test("reads a check again as long as it may change, and none that was deleted", async () => {
    const { checks, offsets, read } = server(120);
    checks[80] = { id: "slow", isOpen: true };
    await read(150);
    checks[80] = { id: "slow" };
    expect((await read(150)).items).toEqual(checks);
    expect(offsets).toEqual([0, 50]);
    checks.splice(30);
    expect(await read(150)).toEqual({ items: checks, hasMore: false });
    expect(offsets).toEqual([0]);
  });
});
