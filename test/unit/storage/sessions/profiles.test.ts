import { expect, test } from "vitest";
import { EMPTY_PROFILE } from "../../../../src/core/sessions/profile.ts";
import { createProfileStore } from "../../../../src/storage/sessions/profiles.ts";
import { memoryBlobs } from "../../../fakes/memory/memory-blobs.ts";
import { nodeD1 } from "../../../fakes/memory/node-d1.ts";

test("claims of profiles that were never saved are deleted when they have ended", async () => {
  const db = nodeD1();
  const profiles = createProfileStore({ db, blobs: memoryBlobs(), keyHex: "00".repeat(32) });
  const claim = async (name: string, untilMs: number) =>
    await profiles.claim({ teamId: "team", name }, { sessionId: name, untilMs, nowMs: 0 });
  for (const [name, untilMs] of [
    ["released", 100],
    ["lost", 5],
    ["open", 100],
    ["saved", 5],
  ] as const)
    await claim(name, untilMs);
  await profiles.release({ teamId: "team", name: "released" }, "released");
  await profiles.write({ teamId: "team", name: "saved" }, { sessionId: "saved", state: EMPTY_PROFILE, nowMs: 1 });
  expect(await profiles.purge(5, 1)).toBe(1);
  expect(await profiles.purge(5, 10)).toBe(1);
  const { results } = await db.prepare("SELECT name FROM browser_profiles ORDER BY name").run();
  expect(results.map(({ name }) => name)).toEqual(["open", "saved"]);
  expect(await profiles.read({ teamId: "team", name: "saved" })).toEqual(EMPTY_PROFILE);
});
