import { expect, test } from "vitest";
import { keepAnswers } from "../../../../src/tools/egress/resolve-name.ts";

test("an answer is kept for five seconds, and a failure not at all", async () => {
  let [nowMs, asked] = [0, 0];
  const ask = keepAnswers(
    async () => {
      asked += 1;
      if (asked === 1) throw new Error("no resolver");
      return [{ address: `192.0.2.${asked}`, family: 4 }];
    },
    () => nowMs,
  );
  await expect(ask("a.example")).rejects.toThrow("no resolver");
  const found = await ask("a.example");
  nowMs = 4_999;
  expect(await ask("a.example")).toBe(found);
  nowMs = 5_000;
  expect(await ask("a.example")).toEqual([{ address: "192.0.2.3", family: 4 }]);
});
