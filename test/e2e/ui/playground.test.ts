import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { isShort } from "../../sample.ts";
import { dashboardUrl, openView } from "./browser.ts";
import { look } from "./look.ts";
import { withReader } from "./with-reader.ts";
import { inject } from "../inject.ts";

const tab = withReader();

const OPEN_LIST_MS = 200;

/** Returns the text of the JSON editor. */
async function bodyOf(page: Page): Promise<string> {
  await page.locator(".cm-content").waitFor();
  return (await page.locator(".cm-line").allTextContents()).join("\n");
}

describe("signing in", () => {
  test("asks for a key, reports an invalid one, and accepts a valid one", async () => {
    const page = tab();
    await page.goto(inject("serviceUrl"));
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await look(page, "sign-in");
    await page.getByLabel("API key").fill("secret");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("An API key is fc- followed by 32 hexadecimal digits.").waitFor();
    await page.getByLabel("API key").fill(`fc-${"0".repeat(32)}`);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Unauthorized: Invalid token").waitFor();
    await page.getByLabel("API key").fill(inject("apiKey"));
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Playground" }).waitFor();
    expect(await page.evaluate("localStorage.getItem('orbweaver.keys')")).toBeNull();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await page.evaluate("sessionStorage.getItem('orbweaver.keys')")).toBeNull();
  });

  test("with the URL that npm start prints takes one click, and leaves no key in the URL", async () => {
    const page = tab();
    await page.goto(dashboardUrl().signIn);
    await page.getByRole("heading", { name: "Playground" }).waitFor();
    expect(page.url()).toBe(`${inject("serviceUrl")}/#/playground`);
    await page.reload();
    await page.getByRole("heading", { name: "Playground" }).waitFor();
    // Also in a tab that shows the sign-in form already.
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.goto(dashboardUrl().signIn);
    await page.getByRole("heading", { name: "Playground" }).waitFor();
    expect(page.url()).toBe(`${inject("serviceUrl")}/#/playground`);
  });
});

// Screenshots and axe-core take long on a busy machine.
describe("the playground", { timeout: 150_000 }, () => {
  test("scrapes a page and shows every part of the response", async () => {
    const page = tab();
    await openView(page, "playground");
    await look(page, "playground-empty");
    await page
      .getByLabel("URL", { exact: false })
      .first()
      .fill(`${inject("siteUrl")}/articles/seagrass`);
    // The short form takes no picture: a browser of the service would start for it.
    const hasPicture = !isShort();
    for (const format of ["HTML", "Links", ...(hasPicture ? ["Screenshot"] : [])]) {
      await page
        .getByRole("group", { name: /Formats/ })
        .getByRole("button", { name: format, exact: true })
        .click();
    }
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText(hasPicture ? /^200 · .* · via browser/ : /^200 · .* · via fetch/).waitFor();
    await page.getByRole("tabpanel", { name: "Rendered" }).getByText("A seagrass seed is the size").waitFor();
    await look(page, "playground-answer");
    const parts = page.getByRole("tablist", { name: "Response views" });
    if (hasPicture) {
      await parts.getByRole("tab", { name: "Screenshot" }).click();
      await page.getByRole("img", { name: /Screenshot of/ }).waitFor();
      const width =
        "document.querySelector('.screenshot img').decode().then(() => document.querySelector('.screenshot img').naturalWidth)";
      expect(await page.evaluate(width)).toBeGreaterThan(100);
    }
    await parts.getByRole("tab", { name: "Page" }).click();
    const frame = page.frameLocator("iframe.html-frame");
    await frame.getByText("A seagrass seed is the size").first().waitFor();
    expect(await page.locator("iframe.html-frame").getAttribute("sandbox")).toBe("");
    await parts.getByRole("tab", { name: "Links" }).click();
    await page.getByPlaceholder(/Filter \d+ URLs/).fill("articles");
    await parts.getByRole("tab", { name: "JSON" }).click();
    await page.getByText("success").first().waitFor();
    await look(page, "playground-json");
    await parts.getByRole("tab", { name: "Metadata" }).click();
    await page.getByRole("rowheader", { name: "sourceURL" }).waitFor();
    await parts.getByRole("tab", { name: "Receipt" }).click();
    await page.getByRole("heading", { name: "Timing" }).waitFor();
    await look(page, "playground-receipt");
    await page.locator("summary", { hasText: "History" }).click();
    await page.getByRole("button", { name: /Scrape .*seagrass/ }).waitFor();
  });

  test("has every option of a scrape, and shows the request as code without the key", async () => {
    const page = tab();
    await openView(page, "playground");
    await page.getByText("More options").click();
    await page.getByText("Page loading").click();
    await page.getByLabel(/^Wait for/).fill("250");
    await page.getByLabel("Find an option").fill("steps to perform");
    await page.getByLabel(/Add a step to Actions/).selectOption("wait");
    await page.getByText("1. Wait").waitFor();
    await look(page, "playground-options");
    await page.getByRole("tab", { name: "JSON" }).first().click();
    expect(JSON.parse(await bodyOf(page))).toMatchObject({
      waitFor: 250,
      actions: [{ type: "wait" }],
    });
    await page.getByRole("tab", { name: "Code" }).click();
    for (const [language, says] of [
      ["curl", "curl '"],
      ["JavaScript", "await fetch("],
      ["Python", "requests.post("],
      ["Go", "http.NewRequest("],
      ["PHP", "curl_init("],
      ["Ruby", "Net::HTTP::Post"],
      ["JavaScript SDK", "firecrawl.scrape("],
      ["Python SDK", "firecrawl.scrape("],
    ] as const) {
      await page.getByRole("button", { name: language, exact: true }).click();
      const code = await page.getByRole("region", { name: `Request in ${language}`, exact: true }).innerText();
      expect(code).toContain(says);
      expect(code).toContain("ORBWEAVER_API_KEY");
      expect(code).not.toContain(inject("apiKey"));
    }
    await look(page, "playground-code");
  });

  test(
    "takes presets, saves them, states the price, and gives a link that opens the same request",
    { tags: ["long"] },
    async () => {
      const page = tab();
      await openView(page, "playground");
      await page.getByLabel("Preset").selectOption("Data with evidence");
      await page.getByText("5 credits", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Save preset" }).press("Enter");
      await page.getByRole("dialog").getByLabel("Name").fill("Harbour data");
      await page.keyboard.press("Enter");
      await page.getByLabel("Preset").selectOption("Fresh, not from the cache");
      await page.getByText("1 credit", { exact: true }).waitFor();
      await page.getByLabel("Preset").selectOption("Harbour data");
      await page.getByText("5 credits", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Copy link" }).press("Enter");
      const link = await page.evaluate<string>("navigator.clipboard.readText()");
      await page.getByLabel("Preset").selectOption("Full-page screenshot");
      await page.goto(link);
      await page.getByText("5 credits", { exact: true }).waitFor();
      await page.getByRole("tab", { name: "JSON" }).first().click();
      expect(JSON.parse(await bodyOf(page))).toMatchObject({
        formats: ["markdown", { type: "json", evidence: true }],
      });
    },
  );

  test("completes and checks the JSON of a request by the schema of its endpoint", { tags: ["long"] }, async () => {
    const page = tab();
    await openView(page, "playground");
    await page.getByRole("tab", { name: "JSON" }).first().click();
    await page.locator(".cm-content").waitFor();
    await page.getByLabel("Body").fill('{"url": "https://example.com", ');
    await page.getByLabel("Body").press("End");
    await page.keyboard.type('"onlyMa');
    await page.getByRole("option", { name: /"onlyMainContent"/ }).waitFor();
    // The editor ignores Enter until a list has been open for 75 ms.
    await page.waitForTimeout(OPEN_LIST_MS);
    await page.keyboard.press("Enter");
    await page.keyboard.type("fal");
    await page.getByRole("option", { name: "false", exact: true }).waitFor();
    await page.waitForTimeout(OPEN_LIST_MS);
    await page.keyboard.press("Enter");
    await page.keyboard.type(', "waitFor": "soon"}');
    await page.locator(".cm-lintRange-warning").waitFor();
    await look(page, "playground-editor");
    expect(await bodyOf(page)).toContain('"onlyMainContent": false');
    await page.locator(".cm-lintRange-warning").hover();
    await page.getByText("Expected integer").waitFor();
  });

  test(
    "does not send invalid JSON or a format without its required option, and names what is wrong",
    { tags: ["long"] },
    async () => {
      const page = tab();
      const sent: string[] = [];
      page.on("request", (request) => {
        if (request.method() === "POST") sent.push(request.url());
      });
      await openView(page, "playground");
      const focused = (): Promise<string> => page.evaluate("document.activeElement.className");
      await page.getByRole("tab", { name: "JSON" }).first().click();
      await page.locator(".cm-content").waitFor();
      await page.getByLabel("Body").fill('{"url": ');
      await page.getByRole("tab", { name: "Form" }).click();
      await page.getByText("A change in this form discards it.").waitFor();
      await page.keyboard.press("Control+Enter");
      await page.getByText("The body is not valid JSON").waitFor();
      expect(await bodyOf(page)).toBe('{"url": ');
      await expect.poll(focused).toBe("json-editor");
      await page.getByLabel("Body").fill('{"url": "https://example.com", "formats": [{"type": "attributes"}]}');
      await page.getByRole("button", { name: "Run" }).click();
      await page.getByText("Formats › Attributes › Selectors is required").waitFor();
      await page.getByText("More options").click();
      await page.getByLabel("Find an option").fill("headers to send");
      await page.getByLabel(/^Headers/).fill("{");
      await page.getByRole("button", { name: "Run" }).click();
      await page.getByText("Headers is not valid JSON").waitFor();
      await look(page, "playground-invalid");
      expect(sent).toEqual([]);
    },
  );

  test("reports missing fields before sending, and errors after", { tags: ["long"] }, async () => {
    const page = tab();
    await openView(page, "playground");
    await page.getByLabel("URL", { exact: false }).first().fill("");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("URL is required").waitFor();
    await page.getByLabel("URL", { exact: false }).first().fill("http://nowhere.invalid/");
    await page.getByRole("button", { name: "Run" }).click();
    await page
      .getByText(/SCRAPE_DNS/)
      .first()
      .waitFor();
    await look(page, "playground-error");
  });
});

describe("other endpoints in the playground", () => {
  test("list the URLs of a site", { tags: ["long"] }, async () => {
    const page = tab();
    await openView(page, "playground");
    await page.getByRole("link", { name: "Map", exact: true }).click();
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("tab", { name: /Links \d+/ }).waitFor();
    await page
      .getByRole("link", { name: /\/articles\/seagrass$/ })
      .first()
      .waitFor();
    await look(page, "playground-map");
  });

  test("start a crawl, follow it in place and open its view", { tags: ["long"] }, async () => {
    const page = tab();
    await openView(page, "playground");
    await page.getByRole("link", { name: "Crawl", exact: true }).click();
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText(/Completed · \d+ of \d+ pages/).waitFor({ timeout: 45_000 });
    await look(page, "playground-crawl");
    await page.getByRole("link", { name: "View crawl" }).click();
    await page.getByRole("heading", { name: /Crawl of/ }).waitFor();
  });

  test("parse an uploaded file", async () => {
    const page = tab();
    await openView(page, "playground");
    await page.getByRole("link", { name: "Parse file", exact: true }).click();
    const csv = { name: "berths.csv", mimeType: "text/csv", buffer: Buffer.from("berth,boat\n7,Tern\n") };
    await page.getByLabel(/^File/).setInputFiles(csv);
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("tabpanel", { name: "Rendered" }).getByRole("cell", { name: "Tern" }).waitFor();
  });

  test("that read a resource take its ID", async () => {
    const page = tab();
    await openView(page, "playground");
    await page.getByLabel("Endpoint", { exact: true }).selectOption("GET /v2/crawl/{id}");
    await page.getByLabel(/^ID/).fill(crypto.randomUUID());
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("alert").getByText("HTTP 404").waitFor();
  });
});

describe("with the keyboard alone", () => {
  test("a request is entered and sent, its response browsed, and the view changed", async () => {
    const page = tab();
    await openView(page, "playground");
    await page.keyboard.press("Tab");
    await page.getByRole("button", { name: "Skip to content" }).press("Enter");
    const focused = (): Promise<string> => page.evaluate("document.activeElement.textContent.trim()");
    expect(await focused()).toBe("Playground");
    await page.getByLabel("URL", { exact: false }).first().press("Control+Enter");
    const rendered = page.getByRole("tab", { name: "Rendered" });
    await rendered.waitFor();
    await rendered.focus();
    await page.keyboard.press("ArrowRight");
    expect(await focused()).toBe("Markdown");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    expect(await focused()).toBe("Receipt");
    await page.getByRole("tabpanel", { name: "Receipt" }).waitFor();
    await page.getByRole("link", { name: "Keys" }).press("Enter");
    await page.getByRole("heading", { name: "Keys", exact: true }).waitFor();
    await expect.poll(focused).toBe("Keys");
  });

  test("the theme is changed and stored", { tags: ["long"] }, async () => {
    const page = tab();
    await openView(page, "playground");
    await page.getByRole("button", { name: /Theme: system/ }).press("Enter");
    await page.getByRole("button", { name: /Theme: light/ }).press("Enter");
    const ground = (): Promise<string> => page.evaluate("getComputedStyle(document.body).backgroundColor");
    await expect.poll(ground).toBe("rgb(14, 20, 20)");
    await page.reload();
    await page.getByRole("button", { name: /Theme: dark/ }).waitFor();
    await expect.poll(ground).toBe("rgb(14, 20, 20)");
  });
});
