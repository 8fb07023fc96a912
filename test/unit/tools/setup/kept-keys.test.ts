import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { KEY_PATTERN } from "../../../../src/core/account/api-key.ts";
import { parseBotAuthKeys } from "../../../../src/core/bot-auth-keys.ts";
import { keptKeys, keysFile } from "../../../../src/tools/setup/kept-keys.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kept-keys-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("makes two different keys on the first run and keeps them for this user only", async () => {
  const first = await keptKeys(folder);
  expect(first.apiKey).toMatch(KEY_PATTERN);
  expect(first.adminKey).toMatch(KEY_PATTERN);
  expect(first.apiKey).not.toBe(first.adminKey);
  expect(first.isNew).toBe(true);
  expect(await keptKeys(folder)).toEqual({ ...first, isNew: false });
  expect(statSync(keysFile(folder)).mode & 0o777).toBe(0o600);
});

test("a given key takes the place of the kept one and is kept itself", async () => {
  const first = await keptKeys(folder);
  const apiKey = `fc-${"0123456789abcdef".repeat(2)}`;
  expect(await keptKeys(folder, { apiKey })).toMatchObject({ apiKey, adminKey: first.adminKey });
  expect((await keptKeys(folder)).apiKey).toBe(apiKey);
});

test("a damaged file is named, with what to do", async () => {
  await keptKeys(folder);
  writeFileSync(keysFile(folder), '{"apiKey":"fc-1"}');
  await expect(keptKeys(folder)).rejects.toThrow(/keys\.json does not hold two keys\. Delete it/);
});

test("a folder of before profiles and signed webhooks gets secrets for them, and keeps its keys", async () => {
  const first = await keptKeys(folder);
  const before = { apiKey: first.apiKey, adminKey: first.adminKey };
  writeFileSync(keysFile(folder), JSON.stringify(before));
  const { profileKey, webhookSecret, botAuthKey, ...keys } = await keptKeys(folder);
  expect(keys).toEqual({ ...before, isNew: false });
  expect(parseBotAuthKeys(botAuthKey)).toHaveLength(1);
  expect(profileKey).toMatch(/^[0-9a-f]{64}$/);
  expect(webhookSecret).toMatch(/^[0-9a-f]{64}$/);
  expect(await keptKeys(folder)).toMatchObject({ profileKey, webhookSecret, botAuthKey });
});
