import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { startDnsOverHttps } from "../../../../src/tools/service/dns-over-https.ts";
import type { DnsResponse, DnsOverHttps } from "../../../../src/tools/service/dns-over-https.ts";

type Lookup = NonNullable<Parameters<typeof startDnsOverHttps>[0]>;

/** Less than a system resolver is waited for. */
const LOOKUP_MS = 1_000;

let resolver: DnsOverHttps | undefined;
afterEach(async () => {
  await resolver?.close();
});

async function ask(question: string, lookup?: Lookup): Promise<{ status: number; answer: DnsResponse }> {
  resolver = await startDnsOverHttps(lookup);
  const response = await fetch(`${resolver.url}?${question}`, { headers: { accept: "application/dns-json" } });
  return { status: response.status, answer: (await response.json()) as DnsResponse };
}

const bothFamilies: Lookup = async () => [
  { address: "93.184.215.14", family: 4 },
  { address: "10.0.0.7", family: 4 },
  { address: "2606:2800:21f:cb07::1", family: 6 },
];
const failing =
  (code: string): Lookup =>
  () =>
    Promise.reject(Object.assign(new Error(code), { code }));

test("answers with every address of the family that was asked for", async () => {
  const { answer } = await ask("name=Example.com.&type=A", bothFamilies);
  expect(answer).toEqual({
    Status: 0,
    Answer: [
      { name: "example.com", type: 1, TTL: 5, data: "93.184.215.14" },
      { name: "example.com", type: 1, TTL: 5, data: "10.0.0.7" },
    ],
  });
});

test("answers without addresses when the name has only the other family", async () => {
  const { answer } = await ask("name=example.com&type=AAAA", async () => [{ address: "192.0.2.1", family: 4 }]);
  expect(answer).toEqual({ Status: 0, Answer: [] });
});

test.each([
  { what: "a name that does not exist", name: "nowhere.example.com", lookup: failing("ENOTFOUND"), Status: 3 },
  { what: "a name on a machine without a network", name: "example.com", lookup: failing("EAI_AGAIN"), Status: 2 },
  {
    what: "a reserved name on a machine without a network",
    name: "shop.test",
    lookup: failing("EAI_AGAIN"),
    Status: 3,
  },
  { what: "a name that never exists", name: "x.invalid", lookup: bothFamilies, Status: 3 },
  { what: "a name like a reserved one", name: "xinvalid.com", lookup: failing("EAI_AGAIN"), Status: 2 },
])("answers $Status for $what", async ({ name, lookup, Status }) => {
  const { answer } = await ask(`name=${name}&type=A`, lookup);
  expect(answer).toEqual({ Status, Answer: [] });
});

test("gives up a system resolver that does not answer", async () => {
  const { answer } = await ask("name=slow.example.com&type=A", () => new Promise(() => undefined));
  expect(answer.Status).toBe(2);
});

test("looks up a name once for questions that come together", async () => {
  let lookups = 0;
  const slow: Lookup = async (name) => {
    lookups += 1;
    // On a busy machine the second question comes late.
    await new Promise((done) => setTimeout(done, LOOKUP_MS));
    return bothFamilies(name);
  };
  resolver = await startDnsOverHttps(slow);
  await Promise.all(["A", "AAAA"].map((type) => fetch(`${resolver?.url}?name=example.com&type=${type}`)));
  expect(lookups).toBe(1);
});

test.each(["type=A", "name=example.com&type=MX"])("refuses %s", async (question) => {
  expect((await ask(question, bothFamilies)).status).toBe(400);
});

test("resolves as the machine does", async () => {
  const { answer } = await ask("name=localhost&type=A");
  expect(answer.Answer.map(({ data }) => data)).toContain("127.0.0.1");
});

test("a target that is none is refused, and the resolver goes on", async () => {
  resolver = await startDnsOverHttps(bothFamilies);
  const socket = connect(Number(new URL(resolver.url).port), "127.0.0.1");
  socket.write("GET // HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
  expect((await fetch(`${resolver.url}?name=example.com`)).status).toBe(200);
});
