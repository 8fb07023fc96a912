import { describe, expect, test } from "vitest";
import { buildUi, MAX_FIRST_VIEW_BYTES, MAX_SCRIPT_BYTES, scriptsOf } from "../../../../src/tools/build/build-ui.ts";

describe("the dashboard's script", () => {
  test(`of the first view is at most ${MAX_FIRST_VIEW_BYTES / 1000} kB compressed`, async () => {
    const { scripts, firstViewBytes, scriptBytes } = await buildUi();
    const first = scripts.filter(({ isFirst }) => isFirst).map(({ name }) => name);
    expect(first.some((name) => name.includes("/index-"))).toBe(true);
    expect(first.some((name) => name.includes("/playground-"))).toBe(true);
    expect(first.length).toBeLessThan(scripts.length);
    expect(firstViewBytes).toBeLessThanOrEqual(MAX_FIRST_VIEW_BYTES);
    expect(scriptBytes).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
  });

  test("counts static imports of the first view, and no dynamic ones", () => {
    const manifest = {
      "index.html": { file: "index.js", imports: ["_shared.js"] },
      "view.tsx": { file: "view.js", imports: ["_shared.js", "_parts.js"] },
      "other.tsx": { file: "other.js" },
      "_shared.js": { file: "shared.js", imports: ["_parts.js"] },
      "_parts.js": { file: "parts.js", imports: ["_shared.js"] },
    };
    expect([...scriptsOf(manifest, ["index.html", "view.tsx"])].toSorted()).toEqual([
      "index.js",
      "parts.js",
      "shared.js",
      "view.js",
    ]);
    expect(() => scriptsOf(manifest, ["missing.tsx"])).toThrow("missing.tsx");
  });
});
