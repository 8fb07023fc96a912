import { afterEach, beforeEach, expect, test } from "vitest";
import { resolveName, type Lookup } from "../../../../src/tools/egress/resolve-name.ts";
import { createSystemLookup } from "../../../../src/tools/egress/system-lookup.ts";
import { startNameServer, type NameServer } from "./name-server.ts";

const ANSWERS: Record<string, string> = {
  "A site.example.com": "192.0.2.1",
  "AAAA site.example.com": "2001:db8:0:0:0:0:0:1",
  "A old.example.com": "192.0.2.2",
  "A web.shop": "192.0.2.3",
  "A web.shop.svc.cluster.local": "10.0.0.3",
  "A empty.example.com": "nothing",
  "AAAA empty.example.com": "nothing",
  "A failing.example.com": "failure",
  "AAAA failing.example.com": "failure",
  "A old.example.com.failing.example": "failure",
  "AAAA old.example.com.failing.example": "failure",
  "A nowhere.example.com.failing.example": "failure",
  "AAAA nowhere.example.com.failing.example": "failure",
};

/** Those whose own name servers do not answer. */
const isDead = (question: string): boolean => question.includes("dead") || question === "AAAA old.example.com";

let server: NameServer;
let ofSystem: string[];
/** Notes the names that one test asks of the system; look-ups of an earlier test may still go on. */
function systemOf(names: string[]): Lookup {
  return async (name) => {
    names.push(name);
    return [{ address: "127.0.0.9", family: 4 }];
  };
}

beforeEach(async () => {
  ofSystem = [];
  server = await startNameServer((question) => (isDead(question) ? undefined : (ANSWERS[question] ?? "unknown")));
});
afterEach(() => server.close());

function lookupWith(files: Record<string, string> = {}, servers = [server.address]): Lookup {
  return createSystemLookup({
    read: (path) => files[path] ?? "",
    askSystem: systemOf(ofSystem),
    servers,
    platform: "linux",
  });
}

test("a name of DNS has its addresses of both families, those of IPv4 first", async () => {
  expect(await lookupWith()("site.example.com")).toEqual([
    { address: "192.0.2.1", family: 4 },
    { address: "2001:db8::1", family: 6 },
  ]);
  expect(ofSystem).toEqual([]);
});

test.each([`${"a".repeat(64)}.example.com`, "a..example.com"])(
  "the name %s, which DNS cannot have, does not exist",
  async (name) => {
    expect(await resolveName(name, lookupWith())).toEqual({ kind: "not_found" });
  },
);

test("names whose servers do not answer hold up no others, and are not asked in each search domain", async () => {
  const withSearch = (rest: string) => lookupWith({ "/etc/resolv.conf": `nameserver 10.96.0.10\nsearch ${rest}\n` });
  const ask = withSearch("first.example");
  const behind = withSearch("dead.example second.example\noptions ndots:5")("old.example.com");
  const dead = Array.from({ length: 100 }, (_, at) => resolveName(`${at}.dead.example.com`, ask));
  expect(await resolveName("site.example.com", ask)).toMatchObject({ kind: "addresses" });
  expect(await Promise.race([...dead, "none of them"])).toBe("none of them");
  expect(new Set((await Promise.all(dead)).map(({ kind }) => kind))).toEqual(new Set(["unavailable"]));
  expect(await behind).toEqual([{ address: "192.0.2.2", family: 4 }]);
  expect(server.asked.filter((question) => /(?:first|second)\.example$/.test(question))).toEqual([]);
  expect(ofSystem).toEqual([]);
});

test("a name whose server answers for one family only has the addresses of that", async () => {
  expect(await lookupWith()("old.example.com")).toEqual([{ address: "192.0.2.2", family: 4 }]);
});

test("a name that does not exist is told from one that cannot be resolved now", async () => {
  const ask = lookupWith();
  expect(await resolveName("nowhere.example.com", ask)).toEqual({ kind: "not_found" });
  expect(await resolveName("empty.example.com", ask)).toEqual({ kind: "not_found" });
  expect(await resolveName("failing.example.com", ask)).toEqual({ kind: "unavailable" });
});

test.each([
  ["of a single label", "printer", {}],
  ["of the local network", "printer.local", {}],
  ["of this machine", "app.localhost", {}],
  ["of the hosts file", "wiki.example.com", { "/etc/hosts": "# 1.2.3.4 x\n10.0.0.1\tother Wiki.Example.com # ours\n" }],
  ["where another source is configured", "site.example.com", { "/etc/nsswitch.conf": "hosts: files ldap dns\n" }],
  ["where systemd-resolved has links of its own", "a.corp", { "/etc/nsswitch.conf": "hosts: files resolve dns\n" }],
])("a name %s is asked of the system", async (_what, name, files) => {
  expect(await lookupWith(files)(name)).toEqual([{ address: "127.0.0.9", family: 4 }]);
  expect(ofSystem).toEqual([name]);
  expect(server.asked).toEqual([]);
});

test("the usual sources of a desktop leave names with a dot to DNS", async () => {
  const files = { "/etc/nsswitch.conf": "passwd: files ldap\nhosts: files mdns4_minimal [NOTFOUND=return] dns\n" };
  expect(await lookupWith(files)("old.example.com")).toEqual([{ address: "192.0.2.2", family: 4 }]);
  expect(ofSystem).toEqual([]);
});

test("search domains come before a name with fewer dots than ndots, and behind others", async () => {
  const search = "nameserver 10.96.0.10\nsearch default.svc.cluster.local svc.cluster.local\n";
  const cluster = lookupWith({ "/etc/resolv.conf": `${search}options ndots:5\n` });
  expect(await cluster("web.shop")).toEqual([{ address: "10.0.0.3", family: 4 }]);
  expect(await cluster("old.example.com")).toEqual([{ address: "192.0.2.2", family: 4 }]);
  const others = lookupWith({ "/etc/resolv.conf": search });
  expect(await others("web.shop")).toEqual([{ address: "192.0.2.3", family: 4 }]);
});

test("a search domain whose servers fail hides no name", async () => {
  const search = "nameserver 10.96.0.10\nsearch failing.example\n";
  const [before, after] = [`${search}options ndots:5\n`, search].map((text) =>
    lookupWith({ "/etc/resolv.conf": text }),
  );
  expect(await before?.("old.example.com")).toEqual([{ address: "192.0.2.2", family: 4 }]);
  expect(await resolveName("nowhere.example.com", after ?? systemOf(ofSystem))).toEqual({ kind: "not_found" });
});

test("where no name server can be reached, the system is asked", async () => {
  const closed = await startNameServer(() => undefined);
  closed.close();
  expect(await lookupWith({}, [closed.address])("site.example.com")).toEqual([{ address: "127.0.0.9", family: 4 }]);
});

test("systems other than Linux are asked themselves", async () => {
  const ask = createSystemLookup({ askSystem: systemOf(ofSystem), servers: [server.address], platform: "darwin" });
  await ask("site.example.com");
  expect(ofSystem).toEqual(["site.example.com"]);
});
