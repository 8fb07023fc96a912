import { createServer } from "node:http";
import type { IncomingMessage, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { call, scraped } from "../client.ts";
import { inject } from "../inject.ts";
import { dashboardUrl, openView } from "./browser.ts";
import { look } from "./look.ts";
import { withReader } from "./with-reader.ts";

const tab = withReader();

/** A receiver of webhooks. Its first response is a failure. */
interface Receiver {
  url: string;
  events: { headers: IncomingMessage["headers"]; body: string }[];
}

let server: Server | undefined;
afterEach(() => server?.close());

async function receiver(): Promise<Receiver> {
  const events: Receiver["events"] = [];
  const opened = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      events.push({ headers: request.headers, body });
      response.writeHead(events.length === 1 ? 503 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify({ received: events.length }));
    });
  });
  server = opened;
  await new Promise<void>((listening) => opened.listen(0, "127.0.0.1", listening));
  const { port } = opened.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, events };
}

// Screenshots and axe-core take long on a busy machine.
describe("the dashboard", { timeout: 150_000 }, () => {
  test("tests an endpoint, verifies the signature, lists the delivery and replays it", async () => {
    const page = tab();
    const { url, events } = await receiver();
    await openView(page, "webhooks/test");
    await page.getByLabel("Endpoint URL").fill(url);
    await page.getByRole("button", { name: "Send test event" }).click();
    const delivery = page.getByRole("region", { name: "Test delivery" });
    await delivery.getByText("Failed · 503").waitFor();
    await delivery.getByRole("region", { name: "Response body" }).getByText('"received": 1').waitFor();
    await page.getByLabel("Webhook secret").fill("another secret");
    await page.getByText("The signature check fails.").waitFor();
    await page.getByLabel("Webhook secret").fill("a secret of the end-to-end tests");
    await page.getByText("The signature check passes.").waitFor();
    await look(page, "webhook-test");
    await page.getByRole("tab", { name: "Deliveries" }).click();
    await page.getByRole("button", { name: `webhook.test ${url}` }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Replay" }).click();
    await dialog.getByText("The event was sent again with the same ID.").waitFor();
    await dialog.getByText("Delivered · 200").waitFor();
    await look(page, "webhook-delivery");
    await page.keyboard.press("Escape");
    expect(events.map(({ body }) => body)).toEqual([events[0]?.body, events[0]?.body]);
    expect(events[1]?.headers["webhook-id"]).toBe(events[0]?.headers["webhook-id"]);
    await page
      .getByRole("button", { name: `webhook.test ${url}` })
      .nth(1)
      .waitFor();
    await look(page, "webhooks");
    await page.getByRole("tab", { name: "Endpoints" }).click();
    const endpoint = page.getByRole("listitem").filter({ hasText: url });
    await endpoint.getByText("1 failed").waitFor();
    await look(page, "webhook-endpoints");
    await endpoint.getByRole("link").click();
    await page.getByRole("link", { name: `Endpoint ${url}` }).waitFor();
    await expect.poll(() => page.locator(".record").count()).toBe(2);
  });

  test("shows a snippet for each client, and the calls that arrive", { tags: ["long"] }, async () => {
    const page = tab();
    await openView(page, "connect");
    await page.getByText("Waiting for a call…").waitFor();
    await page.getByRole("button", { name: "Send a test call" }).and(page.locator(":enabled")).click();
    await page.getByText("The call has arrived.").waitFor({ timeout: 60_000 });
    await page.getByRole("list", { name: "Calls" }).getByText("from a browser").first().waitFor();
    await look(page, "connect");
    // By keyboard.
    await page.getByRole("button", { name: "Cursor" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Cursor" }).waitFor();
    const snippet = page.getByRole("region", { name: ".cursor/mcp.json" });
    expect(await snippet.innerText()).toContain("YOUR_API_KEY");
    await page.getByLabel("Show the key in the snippets").check();
    expect(JSON.parse(await snippet.innerText())).toMatchObject({
      mcpServers: { orbweaver: { url: `${inject("serviceUrl")}/mcp`, headers: { Authorization: `Bearer ${inject("apiKey")}` } } }, // prettier-ignore
    });
    await look(page, "connect-mcp");
  });

  test("the first steps are done by a scrape, a crawl, a search and a call of an MCP client", async () => {
    const page = tab();
    await scraped("/articles/bell-foundry");
    await call("/v2/crawl", { body: { url: `${inject("siteUrl")}/articles/`, limit: 1 } });
    await call("/v2/search", { body: { query: "bell foundry", sources: ["web"] } });
    await openView(page, "start");
    await page
      .getByRole("listitem")
      .filter({ hasText: "Scrape a page" })
      .getByText("Done")
      .waitFor({ timeout: 60_000 });
    await page.getByRole("listitem").filter({ hasText: "Crawl a site" }).getByText("Done").waitFor({ timeout: 60_000 });
    await look(page, "start");
    await page.getByRole("link", { name: "Connect a client" }).click();
    await page.getByRole("heading", { name: "Claude Desktop" }).waitFor();
    await page.getByText("Waiting for a call…").waitFor();
    const response = await fetch(`${inject("serviceUrl")}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${inject("apiKey")}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "user-agent": "desk/1",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "scrape", arguments: { url: `${inject("siteUrl")}/articles/` } },
      }),
    });
    expect(await response.text()).toContain("structuredContent");
    await page.getByText("from MCP, desk/1").first().waitFor({ timeout: 60_000 });
    await page.getByRole("link", { name: "Get started" }).first().click();
    await page.getByRole("listitem").filter({ hasText: "Connect an MCP client" }).getByText("Done").waitFor();
  });

  test(
    // Swagger UI takes long for the whole description.
    "/docs uses the key of the dashboard on request",
    { tags: ["long"], timeout: 240_000 },
    async () => {
      const page = tab();
      const { signIn } = dashboardUrl();
      await page.goto(signIn);
      await page.getByRole("navigation", { name: "Main" }).waitFor();
      // Another tab has a session storage of its own, and requests the key from this one.
      const other = await page.context().newPage();
      await other.goto(`${inject("serviceUrl")}/docs`);
      await other.getByText("Scrape a page").first().waitFor({ timeout: 90_000 });
      await other.getByRole("button", { name: "Use my dashboard key" }).click();
      await other.getByText(`Requests of this page use the key ${inject("apiKey").slice(0, 7)}…`).waitFor();
      await other.close();
    },
  );
});
