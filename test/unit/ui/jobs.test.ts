import { describe, expect, test, vi } from "vitest";
import type { Outcome, UrlLine } from "../../../src/ui/jobs/crawl-types.ts";
import { fileNames } from "../../../src/ui/jobs/detail/file-names.ts";
import { depthsOf } from "../../../src/ui/jobs/detail/depths.ts";
import { totalOf, urlTree } from "../../../src/ui/jobs/detail/url-tree.ts";
import type { UrlNode } from "../../../src/ui/jobs/detail/url-tree.ts";

const line = (url: string, outcome: Outcome = "scraped", depth = 0): UrlLine => ({ url, outcome, depth });

/** Returns a tree as text: each segment with its number of URLs, indented by depth. */
const drawn = (nodes: readonly UrlNode[], indent = ""): string[] =>
  nodes.flatMap((node) => [`${indent}${node.name} ${totalOf(node)}`, ...drawn(node.children, `${indent}  `)]);

describe("the URL tree", () => {
  test("groups URLs by host and path, and counts outcomes", () => {
    const tree = urlTree([
      line("https://a.example/docs/install"),
      line("https://a.example/docs/api", "failed"),
      line("https://a.example/"),
      line("https://b.example/x", "skipped"),
    ]);
    expect(drawn(tree)).toEqual([
      "https://a.example 3",
      "  /docs 2",
      "    /api 1",
      "    /install 1",
      "https://b.example 1",
      "  /x 1",
    ]);
    expect(tree[0]?.counts).toEqual({ scraped: 2, failed: 1, skipped: 0, pending: 0, removed: 0 });
    expect(tree[0]?.lines.map(({ url }) => url)).toEqual(["https://a.example/"]);
  });

  test("distinguishes URLs by query, trailing slash and scheme", () => {
    const tree = urlTree([
      line("https://a.example/list"),
      line("https://a.example/list/"),
      line("https://a.example/list?page=2"),
      line("mailto:harbour@a.example"),
      line("not an address"),
    ]);
    expect(drawn(tree).filter((step) => step.trim().startsWith("/list"))).toEqual(["  /list 3"]);
    expect(drawn(tree)).toContain("    ?page=2 1");
    expect(tree.reduce((sum, node) => sum + totalOf(node), 0)).toBe(5);
  });

  test("sorts numeric segments as numbers", () => {
    const [host] = urlTree(["10", "9", "1"].map((name) => line(`https://a.example/${name}`)));
    expect(host?.children.map(({ name }) => name)).toEqual(["/1", "/9", "/10"]);
  });
});

describe("the depths", () => {
  test("counts scraped pages by depth, with the deepest ones together", () => {
    const lines = [line("a"), line("b", "scraped", 2), line("c", "failed", 2), line("d", "scraped", 40)];
    expect(depthsOf(lines)).toEqual([1, 0, 1, 0, 0, 0, 0, 1]);
  });
});

describe("names of downloaded files", () => {
  test.each([
    { url: "https://a.example/", name: "a.example/index.md" },
    { url: "https://a.example/docs/install", name: "a.example/docs/install.md" },
    { url: "https://a.example/list?page=2", name: "a.example/list-page=2.md" },
    { url: "https://a.example/%2e%2e%2f%2e%2e%2fetc/passwd", name: "a.example/etc/passwd.md" },
    { url: "https://a.example/a%5cb%00c", name: "a.example/a-b-c.md" },
    { url: "https://a.example/caf%C3%A9", name: "a.example/café.md" },
    { url: "https://a.example/%E0%A4%A", name: "a.example/%E0%A4%A.md" },
    { url: "not an address", name: "not an address.md" },
  ])("$url becomes $name", ({ url, name }) => {
    expect(fileNames([url])).toEqual([name]);
  });

  test("are unique, also without regard to case", () => {
    const names = fileNames(["https://a.example/A", "https://a.example/a", "https://a.example/a/"]);
    expect(names).toEqual(["a.example/A.md", "a.example/a-2.md", "a.example/a-3.md"]);
  });

  test("are unique where a URL has the name that another one gets", () => {
    const names = fileNames(["https://a.example/x", "https://a.example/x-2", "https://a.example/x/", "https://a.example/x-2/"]); // prettier-ignore
    expect(names).toEqual(["a.example/x.md", "a.example/x-2.md", "a.example/x-3.md", "a.example/x-2-2.md"]);
  });

  test("of URLs that are cut to one name are found in a number of steps that grows with their number", () => {
    const urls = Array.from({ length: 1_000 }, (_, at) => `https://a.example/p?${"q".repeat(100)}=${at}`);
    const looks = vi.spyOn(Set.prototype, "has");
    const names = fileNames(urls);
    const count = looks.mock.calls.length;
    looks.mockRestore();
    expect(new Set(names).size).toBe(1_000);
    expect(count).toBeLessThan(3_000);
  });
});
