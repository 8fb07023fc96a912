import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../../src/core/text/hash.ts";
import { contentFingerprint } from "../../../../src/content/text/content-fingerprint.ts";
import { processorMs } from "../../../processor-time.ts";

/** As the fingerprint is defined, and as earlier versions stored it. */
const sorted = (text: string): Promise<string> => sha256Hex([...text.replaceAll(/\s+/g, "")].toSorted().join(""));

describe("contentFingerprint", () => {
  it.each([
    ["no text", ""],
    ["white space", " \n\t\u00a0\u2003\ufeff"],
    ["words", "The web of an orb-weaver\n\n- takes half an hour\n- _and_ twenty metres"],
    ["other scripts", "Spinne 蜘蛛 паук 🕷️ 🕸 \u{1f577}\u{10ffff} é\ue000\uffff"],
    ["a long text", "🕷 eight legs, \u0416".repeat(120_000)],
  ])("is the hash of the sorted characters of %s", async (_, text) => {
    expect(await contentFingerprint(text)).toBe(await sorted(text));
  });

  it("counts a pair of surrogates at the end of a turn once", async () => {
    const text = `${"a".repeat(999_999)}🕷b`;
    expect(await contentFingerprint(text)).toBe(await sorted(text));
  });

  it("lets other requests run while it reads a long text", async () => {
    const text = "one long line of a page without line breaks ".repeat(100_000);
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await contentFingerprint(text);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(4);
  });

  it("takes a fraction of the time of sorting", async () => {
    const text = "one long line of a page without line breaks ".repeat(50_000);
    const counting = await processorMs(() => contentFingerprint(text));
    const sorting = await processorMs(() => sorted(text));
    expect(counting).toBeLessThan(sorting / 3);
  });
});
