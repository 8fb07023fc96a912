import { expect } from "vitest";
import { inject } from "../../inject.ts";
import { sitePage } from "../../client.ts";
import type { Task } from "./task.ts";

/** Search, usage, the log, keys, connections, the documentation and the shell. */
export const TEAM_TASKS: readonly Task[] = [
  {
    says: "Find the page about seagrass among those that were read",
    clicks: 4,
    keys: 4,
    async walk(user) {
      await user.open("Search", "g f");
      await user.type("Search query", "seagrass meadow");
      await user.press("button", "Search", user.page.getByRole("search"));
      await user.press("button", /meadow/, user.page.getByRole("region", { name: "Results" }));
      await user.sees("A seagrass seed is the size", user.page.getByRole("dialog"));
    },
  },
  {
    says: "Find who used the most credits",
    clicks: 2,
    keys: 3,
    async walk(user) {
      await user.open("Usage", "g u");
      const table = await user.seesA("region", "By key, table");
      await user.press("button", "Credits", table);
      const used = async (): Promise<number[]> =>
        await table.getByRole("row").evaluateAll((rows) =>
          rows.slice(1).map((row) => {
            const cell = (
              row as { querySelectorAll(name: string): ArrayLike<{ textContent: string }> }
            ).querySelectorAll("td")[2];
            return Number(cell?.textContent.replaceAll(",", ""));
          }),
        );
      await expect.poll(async () => (await used()).length).toBeGreaterThan(1);
      const credits = await used();
      expect(credits).toEqual(credits.toSorted((one, other) => other - one));
      await user.seesA("columnheader", "Credits", table.locator("[aria-sort=descending]").locator(".."));
    },
  },
  {
    says: "Find out which requests failed today, and why",
    clicks: 3,
    keys: 4,
    async walk(user, { missingUrl }) {
      await user.open("Usage", "g u");
      const log = await user.seesA("region", "Log");
      await user.check("Failed only", log);
      // Of the batch, which failed as well, the log has an entry with the same URL.
      await user.press("summary", new RegExp(`^Scrape ${missingUrl}`), log);
      await user.sees("The host name does not exist.", log);
      await user.sees(/failed: SCRAPE_DNS_RESOLUTION_ERROR/, await user.seesA("region", "Attempts", log));
    },
  },
  {
    says: "Give accounting the usage of this year as a table",
    clicks: 3,
    keys: 4,
    async walk(user) {
      await user.open("Usage", "g u");
      await user.press("button", "12 months");
      const saving = user.page.waitForEvent("download");
      await user.press("button", "Export CSV");
      expect((await saving).suggestedFilename()).toMatch(/^usage-.+\.csv$/);
    },
  },
  {
    says: "Give a colleague a key that can only crawl, and take it back",
    clicks: 8,
    keys: 8,
    async walk(user) {
      const name = `Colleague ${crypto.randomUUID().slice(0, 8)}`;
      await user.open("Keys", "g k");
      await user.press("button", "Create key");
      const dialog = user.page.getByRole("dialog", { name: "Create key" });
      await user.type("Name", name, dialog);
      await user.press("button", "Crawl", dialog);
      await user.press("button", "Create", dialog);
      await user.press("button", "Done");
      await user.sees(/Endpoints: crawl/, user.page.getByRole("listitem").filter({ hasText: name }));
      await user.press("button", `Revoke ${name}`);
      await user.press("button", "Revoke key");
      const record = user.page.getByRole("listitem").filter({ hasText: name });
      await user.sees("Revoked", record);
    },
  },
  {
    says: "Connect an MCP client and see its first call arrive",
    clicks: 3,
    keys: 4,
    async walk(user) {
      await user.open("Connect", "g c");
      await user.press("button", "Cursor");
      await user.check("Show the key in the snippets");
      const snippet = JSON.parse(await (await user.seesA("region", ".cursor/mcp.json")).innerText()) as {
        mcpServers: { orbweaver: { url: string; headers: Record<string, string> } };
      };
      const { url, headers } = snippet.mcpServers.orbweaver;
      const response = await fetch(url, {
        method: "POST",
        headers: {
          ...headers,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "user-agent": `${user.way}/1`,
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "scrape", arguments: { url: sitePage("/articles/") } },
        }),
      });
      expect(response.status).toBe(200);
      await user.sees(`from MCP, ${user.way}/1`);
    },
  },
  {
    says: "Get the lines that connect my Python program",
    clicks: 3,
    keys: 4,
    async walk(user) {
      await user.open("Connect", "g c");
      await user.press("button", "Python");
      const step = user.page.getByRole("listitem").filter({ hasText: "Set the base URL and the key." });
      await user.press("button", "Copy", step);
      const code = await user.page.evaluate<string>("navigator.clipboard.readText()");
      expect(code).toContain(`api_url="${inject("serviceUrl")}"`);
    },
  },
  {
    says: "Look up how events are signed",
    clicks: 4,
    keys: 4,
    async walk(user) {
      await user.open("Webhooks", "g w");
      const opening = user.page.waitForEvent("popup");
      await user.press("link", "Guide");
      await user.in(await opening, async () => {
        await user.type(/Search/, "verify signature");
        await user.press("link", /Verify an event/);
        await user.seesA("heading", /Verify an event/);
      });
    },
  },
  {
    says: "Use the dashboard in the dark",
    clicks: 2,
    keys: 2,
    async walk(user) {
      await user.command("dark", "Use dark theme");
      await expect
        .poll(() => user.page.evaluate<string>("getComputedStyle(document.body).backgroundColor"))
        .toBe("rgb(14, 20, 20)");
      await user.page.evaluate("localStorage.removeItem('orbweaver.theme')");
      await user.page.reload();
    },
  },
];
