import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ALLOW_ALL,
  crawlDelaySeconds,
  DISALLOW_ALL,
  isAllowed,
  MAX_ROBOTS_BYTES,
  parseRobots,
  productToken,
} from "../../../../src/content/crawling/robots.ts";
import { RobotsRules, RulesOfRequest } from "../../../../src/content/crawling/robots-rules.ts";
import { WorkBudget } from "../../../../src/core/work-budget.ts";
import { processorMs } from "../../../processor-time.ts";
import { matchesPath, toPathPattern } from "../../../../src/content/crawling/robots-path.ts";

const at = (path: string): string => `https://example.com${path}`;

/** Whether a crawler may load a path of a site with this robots.txt. */
function may(text: string, path: string, userAgent = "Orbweaver"): boolean {
  return isAllowed(parseRobots(text), at(path), userAgent);
}

const rulesFor = (...rules: string[]): string => ["User-agent: *", ...rules].join("\n");

describe("RFC 9309 § 5.1, simple example", () => {
  const text = `
    User-Agent: *
    Disallow: *.gif$
    Disallow: /example/
    Allow: /publications/

    User-Agent: foobot
    Disallow:/
    Allow:/example/page.html
    Allow:/example/allowed.gif

    User-Agent: barbot
    User-Agent: bazbot
    Disallow: /example/page.html

    User-Agent: quxbot

    EOF`;

  test.each([
    ["foobot", "/example/page.html", true],
    ["foobot", "/example/allowed.gif", true],
    ["foobot", "/publications/", false],
    ["barbot", "/example/page.html", false],
    ["BazBot/1.0", "/example/page.html", false],
    ["bazbot", "/example/other.html", true],
    ["quxbot", "/example/page.html", true],
    ["otherbot", "/a/picture.gif", false],
    ["otherbot", "/a/picture.gif?x", true],
    ["otherbot", "/example/", false],
    ["otherbot", "/publications/", true],
  ])("%s on %s: %s", (agent, path, allowed) => {
    expect(may(text, path, agent)).toBe(allowed);
  });
});

test("the longest rule decides (RFC 9309 § 5.2)", () => {
  const text = "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif";
  expect(may(text, "/example/page/disallowed.gif", "foobot")).toBe(false);
  expect(may(text, "/example/page/", "foobot")).toBe(true);
});

describe("paths", () => {
  test.each<[rule: string, path: string, matches: boolean]>([
    ["/fish", "/fish.html", true],
    ["/fish", "/Fish", false],
    ["/fish/", "/fish", false],
    ["/fish*", "/fishheads", true],
    ["/*.php", "/folder/any.php.file.php/", true],
    ["/*.php$", "/filename.php?parameters", false],
    ["/*.php$", "/filename.php", true],
    ["/fish*.php", "/Fish.PHP", false],
    ["/a*b*c$", "/axbxbxc", true],
    ["/a*bc$", "/abcbc", true],
    ["/a*b$", "/ab", true],
    ["/ab*b$", "/ab", false],
    ["/**a", "/bba", true],
    ["*", "/", true],
    ["/$", "/", true],
    ["/$", "/a", false],
    ["fish", "/fish", false],
    ["/foo/bar?baz=quz", "/foo/bar?baz=quz", true],
    ["/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", true],
    ["/foo/bar?baz=https%3a%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar", true],
    ["/foo/bar/ツ", "/foo/bar/%E3%83%84", true],
    ["/foo/bar/%e3%83%84", "/foo/bar/ツ", true],
    ["/foo/bar/%62%61%7A", "/foo/bar/baz", true],
    ["/foo/bar/baz", "/foo/bar/%62%61%7A", true],
    ["/a%2Fb", "/a/b", false],
    ["/file-with-a-%2A.html", "/file-with-a-*.html", true],
    ["/file-with-a-%2A.html", "/file-with-a-b.html", false],
    ["/foo-%24", "/foo-$", true],
    ["/foo-%24", "/foo-", false],
    ["/a$b", "/a$b", true],
    ["/a b", "/a%20b", true],
    ['/a"<b>^{c}`', '/a"<b>^{c}`/d', true],
    ["/a?{b}^`", "/a?{b}^`", true],
    ["/a?{b}", "/a?%7bb%7D", true],
  ])("Disallow: %s on %s: %s", (rule, path, matches) => {
    expect(may(rulesFor(`Disallow: ${rule}`), path)).toBe(!matches);
  });

  test("robots.txt itself is always allowed", () => {
    expect(may(rulesFor("Disallow: /"), "/robots.txt")).toBe(true);
  });

  test("allow wins where both rules are as long", () => {
    expect(may(rulesFor("Disallow: /page", "Allow: /page"), "/page")).toBe(true);
    expect(may(rulesFor("Allow: /page", "Disallow: /page"), "/page")).toBe(true);
  });

  test("match as a backtracking matcher says", () => {
    const text = fc.stringMatching(/^[ab/]{0,12}$/);
    const rule = fc.stringMatching(/^[ab/*]{0,8}\$?$/);
    fc.assert(
      fc.property(rule, text, (wanted, rest) => {
        const source = wanted.replace(/\$$/, "").split("*").join("[^]*");
        const reference = new RegExp(`^${source}${wanted.endsWith("$") ? "$" : ""}`);
        expect(matchesPath(toPathPattern(wanted), `/${rest}`)).toBe(reference.test(`/${rest}`));
      }),
      { numRuns: 2_000 },
    );
  });

  test("decide as the longest of all rules that match", () => {
    const rule = fc.tuple(fc.boolean(), fc.stringMatching(/^\/[ab/*]{0,6}\$?$/));
    const path = fc.stringMatching(/^\/[ab/]{0,8}$/);
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 20 }), fc.array(path, { minLength: 1, maxLength: 5 }), (list, paths) => {
        const rules = list.map(([allow, text]) => ({ allow, pattern: toPathPattern(text) }));
        const prepared = new RobotsRules(rules);
        for (const each of paths) {
          const matching = rules.filter(({ pattern }) => matchesPath(pattern, each));
          const longest = Math.max(...matching.map(({ pattern }) => pattern.length));
          const deciding = matching.filter(({ pattern }) => pattern.length === longest);
          const expected = matching.length === 0 || deciding.some(({ allow }) => allow);
          expect(prepared.allows(at(each))).toBe(expected);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    [
      "200 of 4 kB, which no short path can match",
      Array.from({ length: 200 }, (_, n) => `/${"*a".repeat(2_000)}${n}b$`),
      100,
    ],
    ["25,000 without stars", Array.from({ length: 25_000 }, (_, n) => `/p${n}x`), 10],
    ["25,000 with another end", Array.from({ length: 25_000 }, (_, n) => `/*x${n}*y*z$`), 7_000],
  ])("%s cost few steps for each URL", (_, patterns, most) => {
    const rules = new RobotsRules(patterns.map((pattern) => ({ allow: false, pattern: toPathPattern(pattern) })));
    const budget = new WorkBudget();
    expect(rules.allows(at("/p12345"), budget)).toBe(true);
    expect(budget.steps).toBeLessThan(most);
  });

  test("a request compares its URLs within one budget, and gives others their turn", () => {
    const patterns = Array.from({ length: 20_000 }, (_, n) => `/*x${n}*y*z$`);
    const rules = new RobotsRules(patterns.map((pattern) => ({ allow: false, pattern: toPathPattern(pattern) })));
    const ofRequest = new RulesOfRequest(rules, 1_000_000);
    let turns = 0;
    const allowed = Array.from({ length: 300 }, (_, n) => {
      const isAllowed = ofRequest.allows(at(`/p${n}`));
      if (ofRequest.isTurnDue()) turns++;
      return isAllowed;
    });
    expect(allowed[0]).toBe(true);
    expect(allowed.filter(Boolean).length).toBeLessThan(250);
    expect(allowed.at(-1)).toBe(false);
    expect(ofRequest.isSpent).toBe(true);
    expect(turns).toBeGreaterThanOrEqual(4);
  });

  test("are normalised as each character and each escape by itself", () => {
    const plain = (head: RegExp, text: string): string => {
      const ascii = text.replace(/[^\u{21}-\u{7E}]+/gu, (run) => encodeURIComponent(run.toWellFormed()));
      return ascii.replace(/%[0-9a-f]{2}/gi, (escape) => {
        const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
        return head.test(character) ? character : escape.toUpperCase();
      });
    };
    const text = fc
      .array(
        fc.constantFrom(..."a/?%4123cCfFgG \t\u{7F}é漢😀\u{D800}\u{DC00}:@", "%41", "%2f", "%3F", "%3a", "%c3%A9"),
        { maxLength: 15 },
      )
      .map((parts) => `/${parts.join("")}`);
    fc.assert(
      fc.property(text, (path) => {
        const query = path.includes("?") ? path.indexOf("?") : path.length;
        const [head, tail] = [path.slice(0, query), path.slice(query)];
        expect(toPathPattern(path)).toBe(plain(/[A-Za-z0-9._~-]/, head) + plain(/[A-Za-z0-9._~:/?@!'()+,;-]/, tail));
      }),
      { numRuns: 2_000 },
    );
  });

  test("long pieces count with their search, and let others run in between", () => {
    const path = at(`/${"a".repeat(2_000)}`);
    const patterns = (piece: string) => Array.from({ length: 1_000 }, (_, n) => `/*${piece}${n}*`);
    const prepare = (piece: string) =>
      new RobotsRules(patterns(piece).map((pattern) => ({ allow: false, pattern: toPathPattern(pattern) })));
    const stepsOf = (piece: string): number => {
      const budget = new WorkBudget();
      expect(prepare(piece).allows(path, budget)).toBe(true);
      return budget.steps;
    };
    expect(stepsOf("a".repeat(17))).toBeGreaterThan(1.9 * stepsOf("a".repeat(10)));
    const turns = [...prepare("a".repeat(17)).allowing(path)];
    expect(turns.length).toBeGreaterThan(7);
  });

  test("long pieces between stars are found too", () => {
    const piece = `${"ab".repeat(20)}c`;
    expect(may(rulesFor(`Disallow: /*${piece}*x$`), `/${"ab".repeat(500)}${piece}yx`)).toBe(false);
    expect(may(rulesFor(`Disallow: /*${piece}`), `/${"ab".repeat(500)}`)).toBe(true);
    const longest = `${"a".repeat(5_000)}b`;
    expect(may(rulesFor(`Disallow: /*${longest}`), `/${"a".repeat(6_000)}b`)).toBe(false);
    expect(may(rulesFor(`Disallow: /*${longest}`), `/${"a".repeat(4_999)}b`.repeat(2))).toBe(true);
  });
});

describe("groups", () => {
  test.each<[why: string, text: string, agent: string, path: string, allowed: boolean]>([
    ["of one name are one", "User-agent: a\nDisallow: /x\n\nUser-agent: A\nDisallow: /y", "a", "/x", false],
    ["of several names hold for each", "User-agent: a\nUser-agent: b\nDisallow: /x", "a", "/x", false],
    [
      "end with the next name after a rule",
      "User-agent: a\nDisallow: /x\nUser-agent: b\nDisallow: /y",
      "b",
      "/x",
      true,
    ],
    ["do not end with other records", "User-agent: a\nSitemap: /s\nUser-agent: b\nDisallow: /x", "a", "/x", false],
    ["of a name make everybody's void", "User-agent: *\nDisallow: /\nUser-agent: a\nDisallow:", "a", "/x", true],
    ["of a longer name are not meant", "User-agent: a-news\nDisallow: /", "a", "/x", true],
    ["of a shorter name are meant when none has the whole", "User-agent: a\nDisallow: /", "a-news", "/x", false],
    ["of the whole name come first", "User-agent: a\nDisallow: /\nUser-agent: a-news\nAllow: /", "a-news", "/x", true],
    ["may give a version", "User-agent: hungry-bot/2.0\nDisallow: /", "Hungry-Bot/3", "/x", false],
    [
      "are found by the name in a header",
      "User-agent: orbweaver\nDisallow: /",
      "Mozilla/5.0 (compatible; Orbweaver/0.1)",
      "/",
      false,
    ],
    [
      "are not found by other words of a header",
      "User-agent: mozilla\nDisallow: /",
      "Mozilla/5.0 (compatible; Orbweaver/0.1)",
      "/",
      true,
    ],
    [
      "of everybody may be several",
      "User-agent: *\nDisallow: /x\nUser-agent: b\nDisallow:\nUser-agent: *\nDisallow: /y",
      "a",
      "/y",
      false,
    ],
    ["begin with a name", "Disallow: /x\nUser-agent: a\nDisallow: /y", "a", "/x", true],
    ["without anything forbid nothing", "", "a", "/x", true],
  ])("%s", (_why, text, agent, path, allowed) => {
    expect(may(text, path, agent)).toBe(allowed);
  });
});

test.each([
  ["\u{FEFF}User-agent: *\nDisallow: /x", "a byte order mark"],
  ["USER-AGENT:*\rDISALLOW :/x", "capitals, old line ends, blanks before the colon"],
  ["<html>\nUser-agent: *\n<p>: what\n: /docs\nDisallow: /x # why\n", "odd lines and comments"],
  ["User-agent: * # all\r\n\r\n\r\n   Disallow:\t/x\u{0}\r\nDisallow: /x", "empty lines in a group"],
])("reads %j: %s", (text) => {
  expect(may(text, "/x")).toBe(false);
  expect(may(text, "/y")).toBe(true);
});

test("sitemaps are listed as they stand, wherever they stand", () => {
  const text = "sitemap:https://example.com/a.xml\nUser-agent: *\nSitemap : /b.xml\nSitemap:\nDisallow: /x";
  expect(parseRobots(text).sitemaps).toEqual(["https://example.com/a.xml", "/b.xml"]);
  expect(may(text, "/x")).toBe(false);
});

test("a crawl delay is the crawler's own, else everybody's; nonsense is none", () => {
  const robots = parseRobots(
    "User-agent: *\nCrawl-delay: 2.5\n\nUser-agent: a\nCrawl-delay: abc\nDisallow:\n\nUser-agent: b\nCrawl-delay: 7\nDisallow:",
  );
  expect(crawlDelaySeconds(parseRobots("User-agent: *\nCrawl-delay: 2.5\nDisallow:"), "c")).toBe(2.5);
  expect(crawlDelaySeconds(robots, "b")).toBe(7);
  expect(crawlDelaySeconds(parseRobots("User-agent: *\nCrawl-delay: abc"), "c")).toBeUndefined();
  expect(crawlDelaySeconds(parseRobots("Crawl-delay: 3"), "c")).toBeUndefined();
});

test("a crawl delay between names is for the crawlers before it, which share the rules with those behind it", () => {
  const text =
    "User-agent: Yandex\nUser-agent: a\nCrawl-delay: 20\n\nUser-agent: b\nCrawl-delay: 3\nUser-agent: *\nDisallow: /wp-admin/";
  const robots = JSON.parse(JSON.stringify(parseRobots(text))) as ReturnType<typeof parseRobots>;
  expect(["yandex", "a", "b", "c"].map((agent) => crawlDelaySeconds(robots, agent))).toEqual([20, 20, 3, undefined]);
  for (const agent of ["yandex", "a", "b", "c"]) expect(may(text, "/wp-admin/", agent)).toBe(false);
  expect(crawlDelaySeconds(parseRobots(`${text}\nCrawl-delay: 5`), "c")).toBe(5);
  expect(crawlDelaySeconds(parseRobots(`${text}\nCrawl-delay: 5`), "yandex")).toBe(20);
});

test("a crawler with a long name is looked up in time linear in the file and the name", async () => {
  const robots = parseRobots("User-agent: a\nDisallow:/\n".repeat(19_000));
  const agent = "x-".repeat(1_000);
  const ms = await processorMs(() => {
    for (let page = 0; page < 100; page++) crawlDelaySeconds(robots, agent);
    isAllowed(robots, at("/x"), agent);
  });
  expect(ms).toBeLessThan(500);
});

test("a group that names a crawler twice has its rules once, and names are compared up to 100 characters", () => {
  const long = "x".repeat(100);
  const text = `User-agent: ${long}y\nUser-agent: ${long}\nDisallow: /x\nCrawl-delay: 3\n\nUser-agent: *\nDisallow: /`;
  expect(may(text, "/x", `${long}z`)).toBe(false);
  expect(may(text, "/y", `Mozilla/5.0 (compatible; ${long}y/1.0)`)).toBe(true);
  expect(crawlDelaySeconds(parseRobots(text), long)).toBe(3);
});

test("nothing is read beyond 500 KiB, and no rule is cut in half", () => {
  const filler = `${"#".repeat(1023)}\n`.repeat(499);
  const text = `User-agent: *\nDisallow: /early\n${filler}${"#".repeat(900)}\nDisallow: /${"late".repeat(200)}\n`;
  expect(text.length).toBeGreaterThan(MAX_ROBOTS_BYTES);
  expect(may(text, "/early")).toBe(false);
  expect(may(text, `/${"late".repeat(200)}`)).toBe(true);
  expect(may(text, "/late")).toBe(true);
});

test.each([
  ["Orbweaver", "orbweaver"],
  ["Orbweaver/0.1 (+https://example.com)", "orbweaver"],
  ["Mozilla/5.0 (compatible; Orbweaver/0.1)", "orbweaver"],
  ["", ""],
])("the product token of %j is %j", (header, token) => {
  expect(productToken(header)).toBe(token);
});

test("without a robots.txt everything is allowed, without an answer nothing", () => {
  expect(isAllowed(ALLOW_ALL, at("/x"), "a")).toBe(true);
  expect(isAllowed(DISALLOW_ALL, at("/x"), "a")).toBe(false);
});

test("any text is read, and survives JSON", () => {
  const line = fc.tuple(fc.constantFrom("User-agent", "Disallow", "Allow", "Sitemap", "Crawl-delay", "x"), fc.string());
  fc.assert(
    fc.property(fc.array(line), fc.webPath(), (lines, path) => {
      const robots = parseRobots(lines.map(([name, value]) => `${name}: ${value}`).join("\n"));
      const copy = JSON.parse(JSON.stringify(robots)) as typeof robots;
      expect(copy).toEqual(robots);
      expect(isAllowed(copy, at(path), "a")).toBe(isAllowed(robots, at(path), "a"));
    }),
  );
});
