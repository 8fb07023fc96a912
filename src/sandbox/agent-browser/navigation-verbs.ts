import type { Page } from "@cloudflare/playwright";
import { UsageError } from "./locate.ts";
import { need, parseWords, toNumber } from "./parse-words.ts";
import type { Hand, Verbs } from "./verb.ts";

async function open({ page }: Hand, args: readonly string[]): Promise<string> {
  const { words } = parseWords(args, ["--wait"]);
  await page.goto(toUrl(need(words, 0, "the address to open")));
  return `${await page.title()}\n${page.url()}`;
}

/** Returns a URL: an address without a scheme, such as `example.com:8080?x=1`, is one of HTTPS. */
export function toUrl(address: string): string {
  const hasScheme = /^[a-z][a-z0-9+.-]*:/i.test(address) && !/^[^/?#]*:\d+(?:[/?#]|$)/.test(address);
  return hasScheme ? address : `https://${address}`;
}

async function here({ page }: Hand): Promise<string> {
  return `${await page.title()}\n${page.url()}`;
}

async function tab(hand: Hand, args: readonly string[]): Promise<string> {
  const { context, page } = hand;
  const pages = await hand.tabs();
  const [what = "list", argument] = args;
  if (what === "new") {
    const opened = await context.newPage();
    if (argument !== undefined) await goOrClose(opened, toUrl(argument));
    await hand.activate(opened);
    return `Tab ${(await hand.tabs()).indexOf(opened)}: ${opened.url()}`;
  }
  if (what === "list") {
    const lines = pages.map(async (each, index) =>
      [each === page ? "*" : " ", `[${index}]`, await each.title(), each.url()].join(" "),
    );
    return (await Promise.all(lines)).join("\n");
  }
  if (what === "close") return closeTab(hand, argument);
  const wanted = pages[toNumber(what, "tab")];
  if (wanted === undefined) throw new UsageError(`There is no tab ${what}`);
  await hand.activate(wanted);
  await wanted.bringToFront();
  return here({ ...hand, page: wanted });
}

/** Loads a URL in a new tab, which is closed when the load fails. */
async function goOrClose(opened: Page, url: string): Promise<void> {
  try {
    await opened.goto(url);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** One tab always stays: a browser without one cannot be watched. */
async function closeTab(hand: Hand, argument: string | undefined): Promise<string> {
  const { context, page } = hand;
  const pages = await hand.tabs();
  const closing = argument === undefined ? page : pages[toNumber(argument, "tab")];
  if (closing === undefined) throw new UsageError(`There is no tab ${argument}`);
  const next = pages.find((each) => each !== closing) ?? (await context.newPage());
  if (closing === page) await hand.activate(next);
  await closing.close();
  return "Tab closed";
}

/** The session is ended by deleting it; here its browser becomes as it was at the start. */
async function close({ context, page }: Hand): Promise<string> {
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.goto("about:blank");
  return "Browser closed";
}

export const NAVIGATION_VERBS: Verbs = {
  open,
  goto: open,
  navigate: open,
  async back(hand) {
    await hand.page.goBack();
    return here(hand);
  },
  async forward(hand) {
    await hand.page.goForward();
    return here(hand);
  },
  async reload(hand) {
    await hand.page.reload();
    return here(hand);
  },
  tab,
  close,
  quit: close,
  exit: close,
};
