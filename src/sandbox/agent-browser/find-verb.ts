import type { Locator, Page } from "@cloudflare/playwright";
import { UsageError } from "./locate.ts";
import { need, parseWords, toNumber } from "./parse-words.ts";
import type { Hand, Verbs } from "./verb.ts";

type Role = Parameters<Page["getByRole"]>[0];

/** `find role button click --name Submit`, `find label Email fill me@example.com`, `find text "Sign in"`, … */
async function find({ page }: Hand, args: readonly string[]): Promise<string> {
  const { words, value, has } = parseWords(args, ["--name"]);
  const by = need(words, 0, "what to find by: role, text, label, placeholder, alt, title, testid, first, last or nth");
  const isNth = by === "nth";
  const wanted = need(words, isNth ? 2 : 1, "what to find");
  const [action = "text", ...rest] = words.slice(isNth ? 3 : 2);
  const name = value("--name");
  const exact = has("--exact");
  const element = elementBy(page, { by, wanted, name, exact, nth: isNth ? toNumber(words[1] ?? "", "nth") : 0 });
  return act(element, action, rest.join(" "));
}

function elementBy(
  page: Page,
  {
    by,
    wanted,
    name,
    exact,
    nth,
  }: { by: string; wanted: string; name: string | undefined; exact: boolean; nth: number },
): Locator {
  switch (by) {
    case "role":
      // An unknown role finds nothing, and says so.
      return page.getByRole(wanted as Role, { exact, ...(name === undefined ? {} : { name }) }).first();
    case "text":
      return page.getByText(wanted, { exact }).first();
    case "label":
      return page.getByLabel(wanted, { exact }).first();
    case "placeholder":
      return page.getByPlaceholder(wanted, { exact }).first();
    case "alt":
      return page.getByAltText(wanted, { exact }).first();
    case "title":
      return page.getByTitle(wanted, { exact }).first();
    case "testid":
    case "test-id":
      return page.getByTestId(wanted).first();
    case "first":
      return page.locator(wanted).first();
    case "last":
      return page.locator(wanted).last();
    case "nth":
      return page.locator(wanted).nth(nth);
    default:
      throw new UsageError(`Unknown: find ${by}`);
  }
}

async function act(element: Locator, action: string, text: string): Promise<string> {
  switch (action) {
    case "click":
      await element.click();
      return "Clicked";
    case "fill":
      await element.fill(text);
      return "Filled";
    case "type":
      await element.pressSequentially(text);
      return "Typed";
    case "check":
      await element.check();
      return "Checked";
    case "uncheck":
      await element.uncheck();
      return "Unchecked";
    case "hover":
      await element.hover();
      return "Hovered";
    case "press":
      await element.press(text);
      return "Pressed";
    case "select":
      await element.selectOption(text);
      return "Selected";
    case "text":
      return element.innerText();
    default:
      throw new UsageError(`Unknown: ${action}. Use click, fill, type, check, uncheck, hover, press, select or text`);
  }
}

export const FIND_VERBS: Verbs = { find };
