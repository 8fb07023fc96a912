import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listBrowserPorts } from "../../../../src/tools/browser/watch-browsers.ts";

let folder: string;

beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "browsers-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function addProfile(place: string, port?: string): void {
  const profile = join(folder, place);
  mkdirSync(profile, { recursive: true });
  if (port !== undefined) writeFileSync(join(profile, "DevToolsActivePort"), port);
}

test("lists the ports of the browsers that have opened one", () => {
  addProfile("miniflare-1/browser-rendering/profile-a", "40001\n/devtools/browser/a");
  addProfile("miniflare-1/browser-rendering/profile-b", "40002\n/devtools/browser/b");
  addProfile("miniflare-2/browser-rendering/profile-c", "40003\n/devtools/browser/c");
  addProfile("miniflare-2/browser-rendering/profile-d");
  addProfile("miniflare-2/browser-rendering/profile-e", "");
  addProfile("other/browser-rendering/profile-f", "40004\n");
  expect(listBrowserPorts(folder).toSorted()).toEqual([40_001, 40_002, 40_003]);
  expect(listBrowserPorts(join(folder, "none"))).toEqual([]);
});
