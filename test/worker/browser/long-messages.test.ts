/** A message of the browser has 32 MiB at most on the platform; the connections of the tests end at a longer one. */
import { expect, inject, test } from "vitest";
import { loadPage } from "./browser-helpers.ts";
import { given } from "../../fakes/given.ts";
import { shortAndLong } from "../../sample.ts";

const page = `${inject("siteUrl")}/final`;
const MAX_BYTES = 32 * 1024 * 1024;

/** Fills the page with a picture of noise, which no coding makes smaller. */
function noise(width: number, height: number) {
  const script = `(() => {
    document.body.replaceChildren();
    document.body.style.margin = 0;
    const canvas = document.body.appendChild(document.createElement("canvas"));
    Object.assign(canvas, { width: ${width}, height: ${height} });
    canvas.style.display = "block";
    const drawing = canvas.getContext("2d");
    const pixels = drawing.createImageData(${width}, ${height});
    let seed = 1;
    const words = new Uint32Array(pixels.data.buffer);
    for (let at = 0; at < words.length; at++) {
      seed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + 0x9e3779b9 | 0;
      words[at] = seed | 0xff000000;
    }
    drawing.putImageData(pixels, 0, 0);
  })()`;
  return { type: "executeJavascript" as const, script };
}

test(
  "a page of 12 MB in Chinese, which the protocol writes with six bytes a character, is read as far as it fits",
  { tags: ["long"], timeout: 60_000 },
  async () => {
    const script = `document.body.hidden = true; document.body.textContent = "\\u6f6e".repeat(6_000_000); 1`;
    const { body, warnings } = await loadPage(page, { actions: [{ type: "executeJavascript", script }] });
    expect(body.length).toBeGreaterThan(5_000_000);
    expect(warnings).toEqual(["The page's HTML is very long and was cut."]);
  },
);

test(
  "a list in Chinese of which each text is in the page once, and in the message twice, is collected",
  { tags: ["long"], timeout: 60_000 },
  async () => {
    const script = `document.body.innerHTML = Array.from({ length: 8_000 }, (_, at) => "<li>" + at + "\\u6f6e".repeat(500)).join(""); 1`;
    const collect = { type: "collect" as const, item: "li", maxItems: 10_000, maxMilliseconds: 5_000 };
    const { body } = await loadPage(page, { actions: [{ type: "executeJavascript", script }, collect] });
    expect(body.split("<li>").length).toBeGreaterThan(5_000);
  },
);

for (const { tags, entries } of shortAndLong(
  [
    {
      what: "a whole page",
      screenshot: { fullPage: true },
      // 27.6 MB of colours, which are 37 MB of a message.
      size: [1_920, 4_800],
      warning: /JPEG of quality \d+, since a PNG/,
    },
    {
      what: "a large viewport",
      screenshot: { fullPage: false, viewport: { width: 5_000, height: 3_000 } },
      size: [5_000, 3_000],
      warning: /JPEG of quality \d+, since a PNG/,
    },
  ] as const,
  ({ what }) => what === "a whole page",
))
  test.each(entries)(
    "a PNG of $what that would be too long is a JPEG, with a warning",
    { tags, timeout: 90_000 },
    async ({ screenshot, size, warning }) => {
      // prettier-ignore
      const loaded = await loadPage(page, { actions: [noise(size[0], size[1])], screenshot, deadlineMs: Date.now() + 60_000 });
      const { bytes, contentType } = given(loaded.screenshot);
      expect(contentType).toBe("image/jpeg");
      expect(bytes.byteLength).toBeLessThan((MAX_BYTES / 4) * 3);
      expect(loaded.warnings.join(" ")).toMatch(warning);
    },
  );

test("a large page without much detail stays a PNG", { tags: ["long"], timeout: 60_000 }, async () => {
  const script = `document.body.style.height = "8000px"`;
  const actions = [{ type: "executeJavascript" as const, script }];
  const { screenshot, warnings } = await loadPage(page, { actions, screenshot: { fullPage: true } });
  expect(given(screenshot).contentType).toBe("image/png");
  expect(warnings).toEqual([]);
});
