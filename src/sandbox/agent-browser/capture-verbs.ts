import type { Cookie } from "@cloudflare/playwright";
import { locate, UsageError } from "./locate.ts";
import { need, parseWords, toNumber } from "./parse-words.ts";
import type { Hand, Verbs } from "./verb.ts";

async function screenshot({ page, state, writeFile }: Hand, args: readonly string[]): Promise<string> {
  const { words, has } = parseWords(args, []);
  const [first, second] = words;
  const isElement =
    first !== undefined && (second !== undefined || /^(@|#|\.|ref=)/.test(first)) && !/\.(png|jpe?g)$/.test(first);
  const path = isElement ? second : first;
  const type = /\.jpe?g$/.test(path ?? "") ? ("jpeg" as const) : ("png" as const);
  const bytes = isElement
    ? await (await locate(page, state, first)).screenshot({ type })
    : await page.screenshot({ type, fullPage: has("--full", "-f", "--full-page") });
  if (path === undefined) return bytes.toString("base64");
  await writeFile(path, bytes);
  return `Screenshot saved to ${path}`;
}

async function pdf({ page, writeFile }: Hand, args: readonly string[]): Promise<string> {
  const path = need(args, 0, "the file");
  await writeFile(path, await page.pdf());
  return `PDF saved to ${path}`;
}

async function cookies({ page, context }: Hand, args: readonly string[]): Promise<string> {
  const { words, value, has } = parseWords(args, ["--url", "--domain", "--path"]);
  const [what = "get", name, content] = words;
  if (what === "get") return listCookies(await context.cookies());
  if (what === "clear") {
    await context.clearCookies();
    return "Cookies cleared";
  }
  if (what !== "set") throw new UsageError(`Unknown: cookies ${what}. Use get, set or clear`);
  const cookie = { name: need([name ?? ""], 0, "the cookie's name"), value: content ?? "" };
  const domain = value("--domain");
  const place = domain === undefined ? { url: value("--url") ?? page.url() } : { domain, path: value("--path") ?? "/" };
  await context.addCookies([{ ...cookie, ...place, httpOnly: has("--httpOnly"), secure: has("--secure") }]);
  return "Cookie set";
}

function listCookies(all: Cookie[]): string {
  return all.length === 0 ? "(no cookies)" : all.map(({ name, value }) => `${name}=${value}`).join("\n");
}

async function set({ page }: Hand, args: readonly string[]): Promise<string> {
  if (args[0] !== "viewport") throw new UsageError(`Unknown: set ${args[0] ?? ""}. Use viewport`);
  const [width, height] = [need(args, 1, "the width"), need(args, 2, "the height")];
  await page.setViewportSize({ width: toNumber(width, "width"), height: toNumber(height, "height") });
  return `Viewport ${width}x${height}`;
}

export const CAPTURE_VERBS: Verbs = { screenshot, pdf, cookies, set };
