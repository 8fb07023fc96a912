import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { makeKey } from "../../../src/tools/setup/kept-keys.ts";
import { inject } from "../inject.ts";
import { dashboardUrl, openView } from "./browser.ts";
import { look } from "./look.ts";
import { withReader } from "./with-reader.ts";

const tab = withReader();

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
const openFromMenu = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).click();

describe("a view that does not load", () => {
  test("says so, and is tried again on request", { tags: ["long"] }, async () => {
    const page = tab();
    await openView(page, "playground");
    await page.route("**/assets/usage-view-*.js", (route) => route.abort());
    await openFromMenu(page, "Usage");
    await page.getByRole("alert").getByText("Usage could not be loaded.").waitFor();
    await look(page, "view-failed");
    await page.unrouteAll();
    await page.getByRole("button", { name: "Try again" }).click();
    await heading(page, "Usage");
  });

  test("is loaded when the browser is online again", { tags: ["long"] }, async () => {
    const page = tab();
    await openView(page, "playground");
    await page.context().setOffline(true);
    await openFromMenu(page, "Keys");
    await page.getByRole("alert").getByText("the service cannot be reached").waitFor();
    await page.context().setOffline(false);
    await heading(page, "Keys");
  });

  test("after an upgrade is loaded by one reload of the page", { tags: ["long"] }, async () => {
    const page = tab();
    await openView(page, "playground");
    let loads = 0;
    page.on("load", () => loads++);
    await page.route("**/assets/usage-view-*.js", (route) => route.fulfill({ status: 404 }));
    await page.route(`${inject("serviceUrl")}/`, (route) => {
      if (route.request().isNavigationRequest()) return route.continue();
      return route.fulfill({ body: '<script type="module" src="/assets/index-newer.js"></script>' });
    });
    await openFromMenu(page, "Usage");
    await page.getByRole("alert").getByText("Usage could not be loaded.").waitFor();
    expect(loads).toBe(1);
  });
});

test("a second tab is signed in and out with the first, and no other origin receives the key", async () => {
  const page = tab();
  const foreign = await page.context().newPage();
  await foreign.goto(`${inject("siteUrl")}/`);
  await foreign.evaluate(`
    heard = [];
    for (const name of ["orbweaver.keys", "keys"]) {
      const channel = new BroadcastChannel(name);
      channel.onmessage = ({ data }) => heard.push(data);
      channel.postMessage({ type: "request" });
    }`);
  await openView(page, "playground");
  const second = await page.context().newPage();
  await second.goto(dashboardUrl("usage").view);
  await heading(second, "Usage");
  expect(second.url()).not.toContain(inject("apiKey"));
  expect(await foreign.evaluate("heard")).toEqual([]);
  await second.getByRole("button", { name: "Sign out" }).click();
  await heading(page, "Sign in");
});

test("a link with another key asks before it replaces the key in use", async () => {
  const page = tab();
  const { signIn } = dashboardUrl();
  const other = makeKey();
  const link = signIn.replace(inject("apiKey"), other);
  const questions: string[] = [];
  let answer = false;
  page.on("dialog", (dialog) => {
    questions.push(dialog.message());
    void (answer ? dialog.accept() : dialog.dismiss());
  });
  const keyInUse = (): Promise<string> => page.evaluate("sessionStorage.getItem('orbweaver.keys') ?? ''");
  await openView(page, "playground");
  await page.goto(signIn);
  expect(questions).toEqual([]);
  await page.goto(link);
  await expect.poll(() => questions).toEqual([expect.stringContaining("another key")]);
  expect(await keyInUse()).toContain(inject("apiKey"));
  expect(page.url()).not.toContain(other);
  answer = true;
  await page.goto(link);
  await expect.poll(keyInUse).toContain(other);
});

describe("the keyboard", () => {
  test("opens views and runs commands from the palette", { tags: ["long"] }, async () => {
    const page = tab();
    await openView(page, "playground");
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Command palette" });
    await palette.getByRole("combobox").waitFor();
    await look(page, "palette");
    await page.keyboard.type("usa");
    await palette.getByRole("option", { name: "Usage", selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await heading(page, "Usage");
    await page.keyboard.press("Control+k");
    await palette.getByRole("combobox").waitFor();
    await page.keyboard.type("zzz");
    await palette.getByText("No command matches “zzz”.").waitFor();
    await page.keyboard.press("Escape");
    await palette.waitFor({ state: "hidden" });
    await page.keyboard.press("Control+k");
    await palette.getByRole("combobox").waitFor();
    await page.keyboard.type("https://example.com/a");
    await palette.getByRole("option", { name: "Scrape https://example.com/a", selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await heading(page, "Playground");
    await expect
      .poll(() =>
        page
          .locator("main form input")
          .evaluateAll((fields) => fields.map((field) => (field as unknown as { value: string }).value)),
      )
      .toContain("https://example.com/a");
  });

  test("has shortcuts, which can be listed and turned off", { tags: ["long"] }, async () => {
    const page = tab();
    await openView(page, "usage");
    await page.keyboard.press("g");
    await page.keyboard.press("k");
    await heading(page, "Keys");
    await page.keyboard.press("?");
    const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await list.getByText("Open command palette").waitFor();
    await look(page, "shortcuts");
    await list.getByLabel("Use shortcuts without Ctrl or ⌘").uncheck();
    await page.keyboard.press("Escape");
    await list.waitFor({ state: "hidden" });
    await page.keyboard.press("g");
    await page.keyboard.press("u");
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Command palette" }).waitFor();
    await page.keyboard.press("Escape");
    await heading(page, "Keys");
  });
});

test("on a phone, the views without a place in the navigation are under More", { tags: ["long"] }, async () => {
  const page = tab();
  await page.setViewportSize({ width: 390, height: 844 });
  await openView(page, "playground");
  await page.getByRole("button", { name: "More", exact: true }).click();
  const more = page.getByRole("dialog", { name: "More views" });
  await look(page, "more-views");
  await page.setViewportSize({ width: 390, height: 844 });
  await more.getByRole("link", { name: "Usage" }).click();
  await heading(page, "Usage");
  await more.waitFor({ state: "hidden" });
});
