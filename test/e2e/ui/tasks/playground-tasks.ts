import { readFile } from "node:fs/promises";
import { expect } from "vitest";
import { sitePage } from "../../client.ts";
import type { Task } from "./task.ts";
import type { User } from "./user.ts";

const URL_FIELD = /^URL/;
const LANTERN = "/shop/storm-lantern";

async function open(user: User): Promise<void> {
  await user.open("Playground", "g p");
}

/** The response, in which the tasks look for their result. */
function response(user: User) {
  return user.page.getByRole("region", { name: "Response", exact: true });
}

async function clipboard(user: User): Promise<string> {
  return await user.page.evaluate<string>("navigator.clipboard.readText()");
}

export const PLAYGROUND_TASKS: readonly Task[] = [
  {
    says: "Read an article without the navigation around it",
    clicks: 3,
    keys: 3,
    async walk(user) {
      await open(user);
      await user.type(URL_FIELD, sitePage("/articles/seagrass"));
      await user.run();
      await user.sees("A seagrass seed is the size", response(user));
    },
  },
  {
    says: "Scrape the address that I have copied, from wherever I am",
    clicks: 3,
    keys: 3,
    async walk(user) {
      const url = sitePage("/articles/bell-foundry");
      await user.command(url, `Scrape ${url}`);
      await user.seesA("button", "Run");
      await user.run();
      await user.sees(/^200 · /, response(user));
    },
  },
  {
    says: "Get a table of products from this shop",
    clicks: 7,
    keys: 6,
    async walk(user) {
      await open(user);
      await user.type(URL_FIELD, sitePage("/shop"));
      await user.press("button", "JSON");
      await user.press("button", "From an example");
      const editor = user.page.getByRole("textbox", { name: "Example" });
      await editor.waitFor();
      await user.type("Example", '{"products": [{"name": "Storm lantern", "price": 48}]}');
      await user.press("button", "Use as schema");
      await user.run();
      const table = await user.seesA("region", "products, table", response(user));
      await user.sees("Hemp fender", table);
    },
  },
  {
    says: "See where on the page a price comes from",
    clicks: 6,
    keys: 5,
    async walk(user) {
      await open(user);
      await user.type(URL_FIELD, sitePage(LANTERN));
      await user.press("button", "JSON");
      await user.press("button", "Add field");
      await user.type("Name of field 1", "price");
      await user.run();
      const evidence = await user.seesA("region", "Evidence");
      await user.seesA("heading", "Evidence of price", evidence);
      await evidence.locator("mark").first().waitFor();
    },
  },
  {
    says: "Take a picture of the whole page",
    clicks: 5,
    keys: 3,
    async walk(user) {
      await open(user);
      await user.type(URL_FIELD, sitePage("/articles/seagrass"));
      await user.choose("Preset", "Full-page screenshot");
      await user.run();
      await user.seesA("img", /Screenshot of/, response(user));
    },
  },
  {
    says: "List the pages of a site",
    clicks: 4,
    keys: 4,
    async walk(user) {
      await open(user);
      await user.press("link", "Map");
      await user.type(URL_FIELD, sitePage("/"));
      await user.run();
      await user.seesA("link", /\/articles\/seagrass$/, response(user));
    },
  },
  {
    says: "Get this request as Python code",
    clicks: 3,
    keys: 4,
    async walk(user) {
      await open(user);
      await user.press("tab", "Code");
      await user.press("button", "Python");
      await user.sees(/requests\.post\(/);
    },
  },
  {
    says: "Know what a crawl costs before I run it",
    clicks: 3,
    keys: 3,
    async walk(user) {
      await open(user);
      await user.press("link", "Crawl");
      await user.type(/^Limit/, "500");
      await user.sees("At most 500 credits");
    },
  },
  {
    says: "Make a preset of the options that I use every day",
    clicks: 7,
    keys: 5,
    async walk(user) {
      const name = `Daily-${crypto.randomUUID().slice(0, 8)}`;
      await open(user);
      await user.press("button", "Links");
      await user.press("button", "Save preset");
      const dialog = user.page.getByRole("dialog", { name: "Save preset" });
      await user.type("Name", name, dialog);
      await user.press("button", "Save", dialog);
      await dialog.waitFor({ state: "hidden" });
      await user.choose("Preset", name);
    },
  },
  {
    says: "Share a request by link",
    clicks: 3,
    keys: 3,
    async walk(user) {
      const url = sitePage("/articles/night-market");
      await open(user);
      await user.type(URL_FIELD, url);
      await user.press("button", "Copy link", user.page.getByRole("region", { name: "Request", exact: true }));
      await user.sees("Copied");
      const colleague = await user.page.context().newPage();
      await colleague.goto(await clipboard(user));
      await expect.poll(() => colleague.getByLabel(URL_FIELD).inputValue()).toBe(url);
      await colleague.close();
    },
  },
  {
    says: "Go back to the response before this one",
    clicks: 6,
    keys: 5,
    async walk(user) {
      await open(user);
      for (const path of ["/articles/seagrass", "/articles/bell-foundry"]) {
        await user.type(URL_FIELD, sitePage(path));
        await user.run();
        await response(user).getByRole("heading", { level: 1 }).first().waitFor();
      }
      await user.sees("bell", response(user));
      await user.press("button", "Previous run");
      await user.sees("A seagrass seed is the size", response(user));
    },
  },
  {
    says: "Let the service propose the fields that a page has",
    clicks: 5,
    keys: 5,
    async walk(user) {
      await open(user);
      await user.press("button", "JSON");
      await user.press("button", "From a page");
      await user.type("Page", sitePage(LANTERN));
      await user.press("button", "Propose fields");
      const names = user.page.getByLabel(/^Name of field \d+$/);
      await names.first().waitFor();
      const proposed = await names.evaluateAll((inputs) => inputs.map((input) => (input as { value?: string }).value));
      expect(proposed).toEqual(expect.arrayContaining(["name", "price"]));
    },
  },
  {
    says: "Call an endpoint that is in the list only",
    clicks: 4,
    keys: 6,
    async walk(user) {
      await open(user);
      await user.choose("Endpoint", "GET /v2/agent/threads");
      await user.run();
      await user.sees(/^200 · /, response(user));
    },
  },
  {
    says: "Turn a CSV file of mine into a table",
    clicks: 4,
    keys: 5,
    async walk(user) {
      await open(user);
      await user.press("link", "Parse file");
      const choosing = user.page.waitForEvent("filechooser");
      await user.pick(/^File/);
      const csv = { name: "berths.csv", mimeType: "text/csv", buffer: Buffer.from("berth,boat\n7,Tern\n") };
      await (await choosing).setFiles(csv);
      await user.run();
      await user.seesA("cell", "Tern", response(user));
    },
  },
  {
    says: "Keep a page as a Markdown file",
    clicks: 5,
    keys: 5,
    async walk(user) {
      await open(user);
      await user.type(URL_FIELD, sitePage("/articles/seagrass"));
      await user.run();
      await user.press("tab", "Markdown", response(user));
      const saving = user.page.waitForEvent("download");
      await user.press("button", /Download/, response(user));
      expect(await readFile(await (await saving).path(), "utf8")).toContain("A seagrass seed is the size");
    },
  },
];
