import { expect } from "vitest";
import type { ScrapeDocument } from "../../../src/core/scrape/document.ts";
import { hits } from "../client.ts";
import { refuses, WHOLE, type Api, type Effects } from "./option-effects.ts";
import { pictureAt } from "../sessions/picture-at.ts";

const act = ({ scraped }: Api, page: string, actions: object[]): Promise<ScrapeDocument> =>
  scraped(page, { actions, ...WHOLE });

async function fileAt(url: string | undefined): Promise<{ contentType: string | null; bytes: Buffer }> {
  const response = await fetch(url ?? "");
  expect(response.status).toBe(200);
  return { contentType: response.headers.get("content-type"), bytes: Buffer.from(await response.arrayBuffer()) };
}

/** Width and height of a PDF's first page, in points. */
function paperSize(bytes: Buffer): number[] {
  const [, box = ""] = /\/MediaBox\s*\[([^\]]*)\]/.exec(bytes.toString("latin1")) ?? [];
  const [left = 0, top = 0, right = 0, bottom = 0] = box.trim().split(/\s+/).map(Number);
  return [Math.round(right - left), Math.round(bottom - top)];
}

async function fails(api: Api, actions: object[], words: string): Promise<void> {
  const { status, body } = await api.scrape("/app/buttons", { actions });
  expect({ status, code: body.code }).toEqual({ status: 500, code: "SCRAPE_ACTION_ERROR" });
  expect(body.error).toContain(words);
}

/** What each of the actions does to the page that is answered, or brings back. */
export const ACTIONS: Effects = {
  "may be none, which needs no browser": async (api) => {
    const { metadata, actions } = await act(api, "/final", []);
    expect({ engine: metadata.engine, actions }).toEqual({ engine: "fetch", actions: undefined });
  },
  "click opens what was closed": async (api) => {
    const before = await hits("/app/drawer.txt");
    const { markdown } = await act(api, "/app/click", [
      { type: "click", selector: "#open" },
      { type: "wait", selector: ".found" },
    ]);
    expect(markdown).toContain("The clerk keeps the answer in a drawer.");
    expect(await hits("/app/drawer.txt")).toBe(before + 1);
  },
  "click takes the first match, or with all every one": async (api) => {
    const one = await act(api, "/app/buttons", [{ type: "click", selector: ".shutter" }]);
    expect(one.markdown).toMatch(/- herring\n[^-]*1 open/);
    const all = await act(api, "/app/buttons", [{ type: "click", selector: ".shutter", all: true }]);
    for (const name of ["herring", "mackerel", "sprat", "turbot", "conger"]) expect(all.markdown).toContain(name);
    expect(all.markdown).toContain("5 open");
  },
  "click fails without a match, unless it is for all": async (api) => {
    await fails(api, [{ type: "click", selector: "#nothing" }], "Action 0 (click) failed");
    const { markdown } = await act(api, "/app/buttons", [{ type: "click", selector: "#nothing", all: true }]);
    expect(markdown).toContain("0 open");
  },
  "write types into the field that has the focus, and press sends keys": async (api) => {
    const { markdown } = await act(api, "/app/typing", [
      { type: "click", selector: "#line" },
      { type: "write", text: "Höhe 12" },
      { type: "press", key: "Enter" },
    ]);
    expect(markdown).toContain("Value: Höhe 12");
    expect(markdown).toContain("Sent: Höhe 12");
    expect(markdown).toMatch(/Keys: .*Enter/);
  },
  "scroll brings what comes with scrolling": async (api) => {
    const entries = async (actions: object[]): Promise<number> => {
      const { markdown } = await act(api, "/app/scroll", [{ type: "wait", milliseconds: 100 }, ...actions]);
      return Number(/(\d+) entries/.exec(markdown ?? "")?.[1]);
    };
    const still = await entries([]);
    const scroll = { type: "scroll", direction: "down", amount: 500 };
    expect(await entries([scroll, { type: "wait", milliseconds: 200 }, scroll])).toBeGreaterThan(still);
  },
  "wait lets time pass": async (api) => {
    const { metadata } = await act(api, "/final", [{ type: "wait", milliseconds: 1200 }]);
    expect(metadata.attempts?.at(-1)?.ms).toBeGreaterThanOrEqual(1200);
  },
  "wait takes time or a selector": refuses({ actions: [{ type: "wait" }] }, ["actions", 0]),
  "waits are bounded": refuses(
    {
      actions: [
        { type: "wait", milliseconds: 60_000 },
        { type: "wait", selector: "a" },
      ],
    },
    ["actions"],
    "Total wait time (waitFor + wait actions) cannot exceed",
  ),
  "screenshot takes pictures between steps": async (api) => {
    const { actions } = await act(api, "/app/buttons", [
      { type: "screenshot" },
      { type: "click", selector: ".shutter", all: true },
      { type: "screenshot", fullPage: true, quality: 50, viewport: { width: 500, height: 200 } },
    ]);
    expect(actions?.screenshots).toHaveLength(2);
    const [before, after] = await Promise.all((actions?.screenshots ?? []).map(pictureAt));
    expect(before).toEqual({ contentType: "image/png", width: 1920, height: 1080 });
    expect(after).toMatchObject({ contentType: "image/jpeg", width: 500 });
    expect(after?.height).toBeGreaterThan(200);
  },
  "scrape keeps the page as it stands then": async (api) => {
    const { actions } = await act(api, "/app/buttons", [
      { type: "scrape" },
      { type: "click", selector: ".shutter" },
      { type: "scrape" },
    ]);
    expect(actions?.scrapes?.map(({ html }) => /(\d) open/.exec(html)?.[1])).toEqual(["0", "1"]);
    expect(actions?.scrapes?.[0]?.url).toMatch(/\/app\/buttons$/);
  },
  "executeJavascript brings back what a script returns": async (api) => {
    const { actions, markdown } = await act(api, "/app/buttons", [
      { type: "executeJavascript", script: "document.querySelector('h1').textContent = 'Changed'; return 6 * 7;" },
      { type: "executeJavascript", script: "({ title: document.title })" },
      { type: "executeJavascript", script: "await new Promise((done) => setTimeout(done, 50)); return 'later';" },
    ]);
    expect(actions?.javascriptReturns).toEqual([
      { type: "number", value: 42 },
      { type: "object", value: { title: "Five shutters" } },
      { type: "string", value: "later" },
    ]);
    expect(markdown).toContain("# Changed");
  },
  "executeJavascript tells of a script that fails": (api) =>
    fails(api, [{ type: "executeJavascript", script: "throw new Error('ran aground')" }], "ran aground"),
  "pdf prints the page, also under its other name": async (api) => {
    const { actions } = await act(api, "/articles/seagrass", [
      { type: "pdf" },
      { type: "generatePDF", format: "A5", landscape: true },
    ]);
    expect(actions?.pdfs).toHaveLength(2);
    const [letter, a5] = await Promise.all((actions?.pdfs ?? []).map(fileAt));
    expect(letter?.contentType).toBe("application/pdf");
    expect(letter?.bytes.subarray(0, 5).toString()).toBe("%PDF-");
    expect(paperSize(letter?.bytes ?? Buffer.alloc(0))).toEqual([612, 792]);
    const [width = 0, height = 0] = paperSize(a5?.bytes ?? Buffer.alloc(0));
    expect(Math.abs(width - 595)).toBeLessThan(3);
    expect(Math.abs(height - 420)).toBeLessThan(3);
  },
  "pdf prints smaller with scale": async (api) => {
    const print = async (scale: number): Promise<number> => {
      const { actions } = await act(api, "/articles/ferry-timetable", [{ type: "pdf", scale, format: "A6" }]);
      const { bytes } = await fileAt(actions?.pdfs?.[0]);
      return bytes.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    };
    expect(await print(2)).toBeGreaterThan(await print(0.5));
  },
  "of unknown types are refused": refuses({ actions: [{ type: "dance" }] }, ["actions", 0, "type"]),
  "are at most fifty": refuses(
    { actions: Array.from({ length: 51 }, () => ({ type: "scrape" })) },
    ["actions"],
    "Number of actions cannot exceed 50",
  ),
};
