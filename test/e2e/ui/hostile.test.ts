import { describe, expect, test } from "vitest";
import { openView } from "./browser.ts";
import { withReader } from "./with-reader.ts";

// Chromium logs blocked content while the sanitizer parses the page, before anything is shown.
const tab = withReader({
  expected: /^(?:Applying inline style|Executing inline event handler|Setting the document's base URI)/,
});

const SCRIPTS = [
  "<script>window.pwned = 1</script>",
  '<img src="https://tracker.example/x.png" onerror="window.pwned = 1">',
  '<svg onload="window.pwned = 1"><use href="https://tracker.example/x.svg#a"></use></svg>',
  '<a href="javascript:window.pwned=1" id="keys" onclick="window.pwned = 1">press here</a>',
  '<iframe src="https://tracker.example/" srcdoc="<script>parent.pwned = 1</script>"></iframe>',
  '<input type="image" src="https://tracker.example/x.png"><video poster="https://tracker.example/p.png" autoplay></video>',
  '<style>@import "https://tracker.example/x.css"; body { display: none }</style>',
  '<link rel="stylesheet" href="https://tracker.example/x.css"><base href="https://tracker.example/">',
  '<form action="https://tracker.example/"><button>send</button></form>',
  '<meta http-equiv="refresh" content="0;url=https://tracker.example/">',
  '<p style="background: url(https://tracker.example/x.png)">end of it</p>',
].join("\n");
const MARKDOWN = `# Title\n\n${SCRIPTS}\n\n[press](javascript:window.pwned=1) ![alt text](https://tracker.example/y.png)\n`;

// Nothing in a scraped page may run, load resources, or affect the dashboard around it.
describe("a hostile page", () => {
  test("does no harm, rendered, as HTML, as text or as a name", async () => {
    const page = tab();
    await openView(page, "playground");
    const data = {
      markdown: MARKDOWN,
      html: SCRIPTS,
      rawHtml: SCRIPTS,
      screenshot: "https://tracker.example/shot.png",
      links: ["javascript:window.pwned=1", "https://a.example/"],
      warning: SCRIPTS,
      metadata: { title: SCRIPTS, sourceURL: `https://a.example/${SCRIPTS}` },
    };
    await page.route("**/v2/scrape", (route) => route.fulfill({ json: { success: true, data } }));
    await page.getByRole("button", { name: "Run" }).click();
    const panel = page.getByRole("tabpanel", { name: "Rendered" });
    await panel.getByText("end of it").waitFor();
    expect(
      await panel.locator("script, img, svg, iframe, style, form, input, video, link, [onclick], [id]").count(),
    ).toBe(0);
    expect(await panel.locator("a[href^='javascript']").count()).toBe(0);
    await panel.getByText("press here").click();

    const parts = page.getByRole("tablist", { name: "Response views" });
    for (const name of ["Screenshot", "Links", "Markdown", "HTML", "JSON", "Metadata", "Receipt"]) {
      await parts.getByRole("tab", { name, exact: name !== "Links" }).click();
    }
    await parts.getByRole("tab", { name: "Links" }).click();
    expect(await page.locator(".links a").allInnerTexts()).toEqual(["https://a.example/"]);

    await parts.getByRole("tab", { name: "Page", exact: true }).click();
    const frame = page.frameLocator("iframe.html-frame");
    await frame.getByText("end of it").waitFor();
    expect(await frame.locator("script, img, svg, iframe, style, video, base").count()).toBe(0);
    expect(await page.locator("iframe.html-frame").getAttribute("sandbox")).toBe("");
    expect(await page.evaluate("window.pwned")).toBeUndefined();
    await page.getByRole("heading", { name: "Playground" }).waitFor();
  });
});
