import { describe, expect, test } from "vitest";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";
import { redactPii, RULED_ENTITIES, type RedactOptions } from "../../../../../src/content/text/pii/redact-pii.ts";

const redact = (text: string, options: Partial<RedactOptions> = {}) =>
  redactPii(text, { entities: RULED_ENTITIES, replaceStyle: "tag", country: undefined, ...options });

/** Put together here, so that no scanner takes the examples for keys. */
const key = (prefix: string, length: number) => prefix + "a1B2c3D4e5".repeat(30).slice(0, length);

describe("is marked", () => {
  test.each([
    ["an address", "Write to Ada.Byron+shop@mail.example.co.uk.", "Write to [EMAIL]."],
    ["an escaped address", "first\\_last@example.org", "[EMAIL]"],
    ["a link", "[Ada](mailto:ada@example.org?subject=Hi)", "[Ada](mailto:[EMAIL]?subject=Hi)"],
    ["an address of references", "ada&#64;example.org", "[EMAIL]"],
    ["an international number", "Call +44 20 7946 0958 now", "Call [PHONE] now"],
    ["a tel link", '<a href="tel:+442079460958">us</a>', '<a href="tel:[PHONE]">us</a>'],
    ["an IBAN", "IBAN: DE89 3704 0044 0532 0130 00 BIC COBADEFF", "IBAN: [FINANCIAL] BIC COBADEFF"],
    ["an IBAN in one word", "GB29NWBK60161331926819.", "[FINANCIAL]."],
    ["a card", "Card 4111 1111 1111 1111, 12/27", "Card [FINANCIAL], 12/27"],
    ["an American card", "378282246310005", "[FINANCIAL]"],
    ["a key of AWS", `id ${"AKIA"}IOSFODNN7EXAMPLE`, "id [SECRET]"],
    ["a token of GitHub", key("ghp_", 36), "[SECRET]"],
    ["a token of Slack", key("xoxb-", 24), "[SECRET]"],
    ["a key of Stripe", key("sk_live_", 24), "[SECRET]"],
    ["a key of Google", key("AIza", 35), "[SECRET]"],
    ["a web token", `${key("eyJ", 20)}.${key("eyJ", 20)}.${key("", 43)}`, "[SECRET]"],
    ["a key of this API", `fc-${"0123456789abcdef".repeat(2)}`, "[SECRET]"],
    ["a private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "[SECRET]"],
  ])("%s", (_what, text, expected) => {
    expect(redact(text)).toBe(expected);
    expect(redact(redact(text))).toBe(expected);
  });

  test.each([
    ["US", "Call (212) 736-5000 today", "Call [PHONE] today"],
    ["DE", "Telefon: 030 227 32152", "Telefon: [PHONE]"],
    ["GB", "Phone 020 7946 0958", "Phone [PHONE]"],
  ])("a national number of %s", (country, text, expected) => {
    expect(redact(text, { country })).toBe(expected);
  });
});

describe.each([undefined, "US", "DE", "GB"])("stays, on a page of %s:", (country) => {
  test.each([
    "On 2024-01-15 and 15.01.2024, 01/15/2024",
    "2024-01-15T10:20:30.123Z",
    "ISBN 978-3-16-148410-0",
    "ISBN 0-306-40615-2",
    "Order 123456789012",
    "Order no. 302-4567890-1234567",
    "Version 10.0.19045.3803 of 1.2.3",
    "192.168.100.200",
    "logo@2x.png and foo@1.2.3 and @handle",
    "https://shop.example/item/4111111111111111",
    "Card 4111 1111 1111 1112",
    "DE88 3704 0044 0532 0130 00",
    "1,234,567,890 people, 3.14159265358979",
    "https://example.org/a?id=2125550123",
    "AKIASHORT, sk_live_short, fc-123, eyJ",
  ])("%s", (text) => {
    expect(redact(text, { country })).toBe(text);
  });
});

test("what is replaced may be masked or removed, and only some of it", () => {
  const text = "ada@example.org, +44 20 7946 0958";
  expect(redact(text, { replaceStyle: "mask" })).toBe("***************, ****************");
  expect(redact(text, { replaceStyle: "remove" })).toBe(", ");
  expect(redact(text, { entities: ["PHONE"] })).toBe("ada@example.org, [PHONE]");
});

describe("numbers beyond those that are checked against numbering plans are marked by length and notation", () => {
  const words = "words ".repeat(10);

  test.each([
    ["one number", "Call +44 20 7946 0958 now", "Call [PHONE] now"],
    ["a list with plus signs", "Call +44 20 7946 0958 +49 30 901820 +1 415 555 2671 now", "Call [PHONE] [PHONE] [PHONE] now"],
    ["a list in national notation", "Call 415-555-2671 415-555-2672 415-555-2673 now", "Call [PHONE] [PHONE] [PHONE] now"],
    ["a list that cannot be split", "Call 0171 1234567 0172 7654321 0173 9876543 now", "Call [PHONE] now"],
  ])("%s", (_what, text, expected) => {
    // As many digits as are checked, and repeated parts until less is left of them than one part has.
    const page = "12345678, and ".repeat(8_000) + `${words}${text} `.repeat(300);
    const redacted = redact(page, { entities: ["PHONE"] }).trimEnd();
    expect(redacted.slice(-expected.length - 5)).toBe(`ords ${expected}`);
  }); // prettier-ignore
});

test("the checks of many texts take steps, and leave half of those that remain", () => {
  const budget = new WorkBudget({ steps: 1_000_000 });
  const text = "Call 415-555-2671 now, room 12345678. ".repeat(400);
  const options = { entities: ["PHONE"], replaceStyle: "tag", country: "US" } as const;
  expect(redactPii(text, options, budget)).toContain("Call [PHONE] now");
  const first = budget.steps;
  expect(first).toBeGreaterThan(400_000);
  expect(redactPii(text, options, budget)).toContain("Call [PHONE] now");
  expect(budget.steps - first).toBeLessThan(first);
  for (let again = 0; again < 2; again++) redactPii(text, options, budget);
  expect(budget.isSpent).toBe(false);
});

test("4 MB of digits are read", () => {
  expect(redact("1234567 ".repeat(500_000), { entities: ["PHONE"] })).toHaveLength(4_000_000);
});

test("numbers of a list are marked one by one", () => {
  expect(redact("Call +44 20 7946 0958 +49 30 901820 now")).toBe("Call [PHONE] [PHONE] now");
});

test("telephone numbers of a long list are found across the parts that are checked", () => {
  const numbers = Array.from(
    { length: 12_000 },
    (_, index) => `+1 212 ${200 + (index % 700)} ${1000 + (index % 9000)}`,
  );
  const text = numbers.map((number, index) => `Branch ${index % 7}: ${number}, open daily`).join("; ");
  const redacted = redactPii(text, { entities: ["PHONE"], replaceStyle: "tag", country: "US" });
  expect(redacted.match(/\[PHONE\]/g)).toHaveLength(numbers.length);
});
