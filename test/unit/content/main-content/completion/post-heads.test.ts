import { expect, test } from "vitest";
import { measurePage } from "../../../../../src/content/main-content/features/page-measures.ts";
import { keepPostHeads } from "../../../../../src/content/main-content/completion/post-heads.ts";
import { parseHtml } from "../../../../../src/content/html/tree/tree.ts";

const TEXT = "It runs without trouble on mine, which is ten years old.";
const post = (name: string, more = "") =>
  `<article class="post"><h4 class="username">${name}</h4><p>Joined: May 2020</p><time>1 March</time><p>${TEXT}</p>${more}</article>`;

/** Texts of the blocks that are kept when those of posts are. */
function completed(html: string, isChosen = (text: string): boolean => text === TEXT): string[] {
  const page = measurePage(parseHtml(html), "https://a.example/");
  const { blocks } = page.outline;
  const kept = Uint8Array.from(blocks, ({ text }) => (isChosen(text) ? 1 : 0));
  keepPostHeads({ page, kept });
  return blocks.filter((_, index) => kept[index] === 1).map(({ text }) => text);
}

test("each post of a thread has its author and its date", () => {
  const heads = ["Ann", "Bob", "Cas"].flatMap((name) => [name, "1 March", TEXT]);
  expect(completed(["Ann", "Bob", "Cas"].map((name) => post(name)).join(""))).toEqual(heads);
});

test.each([
  { why: "two texts", html: post("Ann") + post("Bob") },
  {
    why: "posts of which few name an author",
    html: post("Ann") + post("Bob").replace("username", "x").repeat(3),
  },
  { why: "teasers, which have headings", html: post("Ann", "<h3>News</h3>").repeat(3) },
])("$why are no thread", ({ html }) => {
  expect(new Set(completed(html))).toEqual(new Set([TEXT]));
});

test("a short answer at the end has its author and its date", () => {
  const html = ["Ann", "Bob", "Cas"].map((name) => post(name)).join("") + post("Dan").replace(TEXT, "Thanks!");
  expect(completed(html, (text) => text === TEXT || text === "Thanks!").slice(-3)).toEqual([
    "Dan",
    "1 March",
    "Thanks!",
  ]);
});

test("comments that are not kept stay out with their heads", () => {
  expect(completed(`<p>Story</p>${post("Ann").repeat(3)}`, (text) => text === "Story")).toEqual(["Story"]);
});
