import { describe, expect, test } from "vitest";
import { readDate } from "../../../../../src/content/structured-data/dates.ts";
import { labelOf, likeness } from "../../../../../src/content/structured-data/sources/labels.ts";
import {
  readBoolean,
  readCurrency,
  readDurationSeconds,
  readNumbers,
} from "../../../../../src/content/structured-data/schema/values.ts";

describe("numbers", () => {
  test.each([
    ["1,299.50", "en", [1299.5]],
    ["1.299,50 €", "de", [1299.5]],
    ["1.299 €", "de", [1299]],
    ["1.299", "en", [1.299]],
    ["1,299", "en-gb", [1299]],
    ["1,299", "fr", [1.299]],
    ["12 450,00", "fr", [12450]],
    ["1'250.40", "de-ch", [1250.4]],
    ["0.125", "de", [0.125]],
    ["-4 °C", "en", [-4]],
    ["10–12 people", "en", [10, 12]],
    ["$4.2 M", "en", [4200000]],
    ["12k", "en", [12000]],
    ["74 m²", "nl", [74]],
    ["3,5 Mio. Euro", "de", [3500000]],
    ["4万4800円", "ja", [44800]],
    ["3億2000万4800", "ja", [320004800]],
    ["$12,500", "es-mx", [12500]],
    ["12,500", `es-mx-${"x".repeat(100_000)}`, [12.5]],
    ["$12,500", "es_MX", [12500]],
    ["12.500 €", "es-es", [12500]],
    ["12,500", "ar", [12500]],
    ["RM12,500", "ms", []],
    ["RM 12,500", "ms", [12500]],
    ["₱ 12,500", "fil", [12500]],
    ["৳ 12,500", "bn", [12500]],
    ["TSh 12,500", "sw-tz", [12500]],
    ["12,500", "ta-in", [12500]],
    ["12.500", "id", [12500]],
    ["12,500", "en-za", [12500]],
    ["12,500", "qq", [12.5]],
    ["12,500", "no tag at all", [12.5]],
    ["１２，５００円", "ja", [12500]],
    ["－４．５ ℃", "ja", [-4.5]],
    ["٢٬٤٩٩٫٥٠ ر.س", "ar", [2499.5]],
    ["۱۲۵ تومان", "fa", [125]],
    ["१,२९९", "hi", [1299]],
    ["5 m², 10³", "en", [5, 10]],
    ["H2O", "en", []],
    ["A4 paper", "en", []],
  ])("%j in %s", (text, language, expected) => {
    expect(readNumbers(text, { language })).toEqual(expected);
  });
});

describe("dates", () => {
  test.each([
    ["2026-03-09T18:22:00Z", "en", { day: "2026-03-09", time: "18:22:00Z" }],
    ["12 September 2024", "en", { day: "2024-09-12" }],
    ["Sept. 3rd, 2024", "en", { day: "2024-09-03" }],
    ["21. August 2026", "de", { day: "2026-08-21" }],
    ["4 de octubre de 2025", "es", { day: "2025-10-04" }],
    ["1er février 2026", "fr", { day: "2026-02-01" }],
    ["3/4/2026", "en-us", { day: "2026-03-04" }],
    ["3/4/2026", "en-gb", { day: "2026-04-03" }],
    ["25/12/2025", "en-us", { day: "2025-12-25" }],
    ["03.04.2026", "de", { day: "2026-04-03" }],
    ["2026年3月12日", "ja", { day: "2026-03-12" }],
    ["14 November 2026, 7.30pm", "en", { day: "2026-11-14", time: "19:30:00" }],
    ["１４／０３／２０２６", "ja", { day: "2026-03-14" }],
    ["２０２６年３月１２日", "ja", { day: "2026-03-12" }],
    ["١٢/٠٣/٢٠٢٦", "ar", { day: "2026-03-12" }],
    ["12 May 2026 – $19.99", "en", { day: "2026-05-12", time: undefined }],
    ["12 May 2026 – 19.30 €", "en", { day: "2026-05-12", time: undefined }],
    ["12 May 2026, 19:99", "en", { day: "2026-05-12", time: undefined }],
    ["12 May 2026, 31:20", "en", { day: "2026-05-12", time: undefined }],
    ["12 May 2026, $5, 18h30", "en", { day: "2026-05-12", time: "18:30:00" }],
    ["12.05.2026,18:30", "de", { day: "2026-05-12", time: "18:30:00" }],
    ["12. Mai 2026, 18.30 Uhr", "de", { day: "2026-05-12", time: "18:30:00" }],
    ["12. oktober 2026 kl. 18.30", "da", { day: "2026-10-12", time: "18:30:00" }],
    ["12 May 2026, 12 am", "en", { day: "2026-05-12", time: "00:00:00" }],
    ["12 May 2026, 13pm", "en", { day: "2026-05-12", time: undefined }],
    ["12 May 2026, 24 am", "en", { day: "2026-05-12", time: undefined }],
    ["12 May 2026, 13:30 am", "en", { day: "2026-05-12", time: undefined }],
    ["12 May 2026, 24:00 pm", "en", { day: "2026-05-12", time: undefined }],
    ["12 May 2026, 18:30 pm", "en", { day: "2026-05-12", time: "18:30:00" }],
    ["May 2026", "en", undefined],
    ["40 Foo 2026", "en", undefined],
  ])("%j in %s", (text, language, expected) => {
    const date = readDate(text, { language });
    if (expected === undefined) expect(date).toBeUndefined();
    else expect(date).toMatchObject(expected);
  });
});

test.each([
  ["PT1H30M", 5400],
  ["P1D", 86400],
  ["1 h 47 min", 6420],
  ["25 minutes", 1500],
  ["2 Stunden", 7200],
  ["90 s", 90],
  ["soon", undefined],
])("%j lasts %j seconds", (text, seconds) => {
  expect(readDurationSeconds(text, { language: "en" })).toBe(seconds);
});

test.each([
  ["Yes", true],
  ["Ja", true],
  ["https://schema.org/InStock", true],
  ["https://schema.org/OutOfStock", false],
  ["Sold out", false],
  ["Nein", false],
  ["なし", false],
  ["perhaps", undefined],
  ["November", undefined],
])("%j is %j", (text, value) => {
  expect(readBoolean(text)).toBe(value);
});

test.each([
  ["£12", "GBP"],
  ["12 EUR", "EUR"],
  ["US$5", "USD"],
  ["A$5", "AUD"],
  ["6,800円", "JPY"],
  ["€132.34 USD: $149.64", "EUR"],
  ["HK$1,999", "HKD"],
  ["S$5", "SGD"],
  ["NT$1,000元", "TWD"],
  ["MX$99", "MXN"],
  ["R$ 10", "BRL"],
  ["AR$ 500", "ARS"],
  ["TRY our menu for $5", "USD"],
  ["TRY", "TRY"],
  ["1.299,00 TRY", "TRY"],
  ["TRY1,299", "TRY"],
  ["TRY: 500", "TRY"],
  ["Price (TRY): 500", "TRY"],
  ["500 (TRY)", "TRY"],
  ["prices in TRY", "TRY"],
  ["TRY our menu for 5 days", undefined],
  ["BBQ RUB $5", "USD"],
  ["price in RUB", "RUB"],
  ["price in RUB ($ on request)", "RUB"],
  ["500 (RUB)", "RUB"],
  ["Price (RUB): 500", "RUB"],
  ["RUB / month", "RUB"],
  ["price in ARS", "ARS"],
  ["1500ARS", "ARS"],
  ["ARS1500", "ARS"],
  ["CARS 5", undefined],
  ["SCRUB 5", undefined],
  ["RUB 500", "RUB"],
  ["RD$500", undefined],
  ["Now$5", "USD"],
  ["USD$5", "USD"],
  ["¥5元", "CNY"],
  ["¥500", "JPY"],
  ["12 apples", undefined],
])("%j is paid in %j", (text, code) => {
  expect(readCurrency(text)).toBe(code);
});

test.each([
  ["¥500", "zh-cn", "CNY"],
  ["¥500", "zh-hant-tw", "JPY"],
  ["¥500 (JPY)", "zh", "JPY"],
  ["€5", "zh", "EUR"],
])("%j on a page in %s is paid in %s", (text, language, code) => {
  expect(readCurrency(text, language)).toBe(code);
});

describe("labels", () => {
  test.each([
    ["price", "Price"],
    ["publishDate", "Publication date"],
    ["weightKg", "Gewicht"],
    ["jobTitle", "job title"],
    ["vatId", "USt-ID"],
    ["prepTimeMinutes", "Preparation time"],
    ["brand", "ブランド"],
    ["number_of_pages", "Pages"],
  ])("%s means %s", (wanted, label) => {
    expect(likeness(labelOf(wanted), labelOf(label))).toBeGreaterThanOrEqual(0.7);
  });

  test.each([
    ["price", "Old price"],
    ["startDate", "End date"],
    ["birthDate", "Date of death"],
    ["author", "Publisher"],
    ["price", "Shipping price"],
    ["name", "Price"],
  ])("%s does not mean %s", (wanted, label) => {
    expect(likeness(labelOf(wanted), labelOf(label))).toBeLessThan(0.62);
  });
});
