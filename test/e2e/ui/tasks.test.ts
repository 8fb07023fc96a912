import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closeContexts } from "../local-browser.ts";
import { newReader, openView } from "./browser.ts";
import type { Reader } from "./browser.ts";
import { JOB_TASKS } from "./tasks/job-tasks.ts";
import { PLAYGROUND_TASKS } from "./tasks/playground-tasks.ts";
import { SESSION_TASKS } from "./tasks/session-tasks.ts";
import { makeTaskData } from "./tasks/task-data.ts";
import type { TaskData } from "./tasks/task-data.ts";
import type { Task } from "./tasks/task.ts";
import { TEAM_TASKS } from "./tasks/team-tasks.ts";
import { KeyboardUser, MouseUser } from "./tasks/user.ts";
import type { User } from "./tasks/user.ts";
import { WATCH_TASKS } from "./tasks/watch-tasks.ts";
import { isShort, shortAndLong } from "../../sample.ts";

const ALL: readonly Task[] = [...PLAYGROUND_TASKS, ...JOB_TASKS, ...WATCH_TASKS, ...SESSION_TASKS, ...TEAM_TASKS];
/**
 * Every task is done by keyboard, and one of so many by mouse as well; `MOUSE_TASKS=1` for all of them. In the short form
 * it is the other tests that use the mouse.
 */
const MOUSE_TASKS = Number(process.env["MOUSE_TASKS"] ?? 3);
const TASKS = ALL.map((task, index) => ({ ...task, hasMouse: !isShort() && index % MOUSE_TASKS === 0 }));
/** Those that need no more than the site. Other tests do in their views what most of the others are about. */
const SHORT_FORM = new Set([
  "Get this request as Python code",
  "Watch this page and see what changed",
  "Use the dashboard in the dark",
]);
const NO_DATA: TaskData = {
  crawlId: "",
  batchId: "",
  missingUrl: "",
  monitor: { id: "", name: "" },
  hookUrl: "",
  activeSession: { id: "", name: "" },
  endedSession: "",
  close: () => Promise.resolve(),
};

let data: TaskData | undefined;
const readers: Reader[] = [];
const users: User[] = [];
const walked: { says: string; way: string; presses: number; tabs: number; ms: number }[] = [];

beforeAll(async () => {
  data = isShort() ? NO_DATA : await makeTaskData();
  for (const Kind of isShort() ? [KeyboardUser] : [MouseUser, KeyboardUser]) {
    const reader = await newReader();
    await openView(reader.page, "start", { isAdmin: true });
    readers.push(reader);
    users.push(new Kind(reader.page));
  }
});
afterAll(async () => {
  await Promise.all(readers.map((reader) => reader.close()));
  await closeContexts();
  await data?.close();
  printWalks();
});

test("there is every task of the short form", () => {
  const all = new Set(TASKS.map(({ says }) => says));
  expect([...SHORT_FORM].filter((says) => !all.has(says))).toEqual([]);
});

// Each task starts in another view than its own, with empty forms.
for (const { tags, entries } of shortAndLong(TASKS, ({ says }) => SHORT_FORM.has(says)))
  describe.each(entries)("$says", { tags, timeout: 120_000 }, ({ says, clicks, keys, hasMouse, walk }) => {
    test(hasMouse ? `takes at most ${clicks} clicks, or ${keys} keys` : `takes at most ${keys} keys`, async () => {
      if (data === undefined) throw new Error("The data of the tasks could not be made");
      for (const user of users.filter(({ way }) => hasMouse || way === "keyboard")) {
        const { way, page } = user;
        await page.evaluate("sessionStorage.removeItem('orbweaver.drafts')");
        await page.goto(`${new URL(page.url()).origin}/#/start`);
        await page.getByRole("heading", { level: 1, name: "Get started" }).waitFor();
        Object.assign(user, { presses: 0, tabs: 0, mostTabs: 0 });
        const startMs = performance.now();
        await walk(user, data).catch(async (failure: unknown) => {
          const hash = new URL(user.page.url()).hash;
          await page.reload();
          throw new Error(`By ${way}, after ${user.presses} presses, at ${hash}: ${String(failure)}`, {
            cause: failure,
          });
        });
        const { presses, tabs } = user;
        walked.push({ says, way, presses, tabs, ms: Math.round(performance.now() - startMs) });
        expect(presses, `${way}: presses`).toBeLessThanOrEqual(way === "mouse" ? clicks : keys);
      }
      expect(readers.flatMap(({ complaints }) => complaints.splice(0))).toEqual([]);
    });
  });

/** Prints the presses that all tasks took, and those that took the longest. */
function printWalks(): void {
  for (const way of ["mouse", "keyboard"]) {
    const own = walked.filter((walk) => walk.way === way);
    const sum = (part: "presses" | "tabs" | "ms"): number => own.reduce((total, walk) => total + walk[part], 0);
    console.log(`${own.length} tasks by ${way}: ${sum("presses")} presses, ${sum("tabs")} Tabs, ${sum("ms")} ms`);
    for (const { says, presses, tabs, ms } of own.toSorted((one, other) => other.ms - one.ms).slice(0, 3))
      console.log(`  ${ms} ms, ${presses} presses, ${tabs} Tabs: ${says}`);
  }
}
