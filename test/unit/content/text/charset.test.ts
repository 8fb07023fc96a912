import { describe, expect, test, vi } from "vitest";
import { charsetOfContentType, decodeBody, decodeInTurns } from "../../../../src/content/text/charset.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const join = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));
const hex = (digits: string): Uint8Array => new Uint8Array(Buffer.from(digits, "hex"));
const page = (body: Uint8Array, head = ""): Uint8Array =>
  join(encode(`<html><head>${head}<title>x</title></head><body><p>`), body, encode("</p></body></html>"));

function utf16(text: string, littleEndian: boolean): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < text.length; at++) view.setUint16(at * 2, text.charCodeAt(at), littleEndian);
  return bytes;
}

/** A sentence and its bytes in one encoding, written with Python's codecs. */
const SENTENCES = [
  {
    charset: "windows-1251",
    text: "Съешь же ещё этих мягких французских булок, да выпей чаю. Страница на русском языке без указания кодировки.",
    bytes:
      "d1fae5f8fc20e6e520e5f9b820fdf2e8f520ecffe3eae8f520f4f0e0edf6f3e7f1eae8f520e1f3ebeeea2c20e4e020e2fbefe5e920f7e0fe2e20d1f2f0e0ede8f6e020ede020f0f3f1f1eaeeec20ffe7fbeae520e1e5e720f3eae0e7e0ede8ff20eaeee4e8f0eee2eae82e",
  },
  {
    charset: "koi8-r",
    text: "Съешь же ещё этих мягких французских булок, да выпей чаю. Страница на русском языке без указания кодировки.",
    bytes:
      "f3dfc5dbd820d6c520c5dda320dcd4c9c820cdd1c7cbc9c820c6d2c1cec3d5dad3cbc9c820c2d5cccfcb2c20c4c120d7d9d0c5ca20dec1c02e20f3d4d2c1cec9c3c120cec120d2d5d3d3cbcfcd20d1dad9cbc520c2c5da20d5cbc1dac1cec9d120cbcfc4c9d2cfd7cbc92e",
  },
  {
    charset: "shift_jis",
    text: "日本語のテキストです。いろはにほへと ちりぬるを。このページの文字コードはシフトJISです。",
    bytes:
      "93fa967b8cea82cc8365834c8358836782c582b7814282a282eb82cd82c982d982d682c62082bf82e882ca82e982f0814282b182cc8379815b835782cc95b68e9a8352815b836882cd8356837483674a495382c582b78142",
  },
  {
    charset: "euc-jp",
    text: "日本語のテキストです。いろはにほへと ちりぬるを。このページの文字コードは日本語EUCです。",
    bytes:
      "c6fccbdcb8eca4cea5c6a5ada5b9a5c8a4c7a4b9a1a3a4a4a4eda4cfa4cba4dba4d8a4c820a4c1a4eaa4cca4eba4f2a1a3a4b3a4cea5daa1bca5b8a4cecab8bbfaa5b3a1bca5c9a4cfc6fccbdcb8ec455543a4c7a4b9a1a3",
  },
  {
    charset: "iso-2022-jp",
    text: "日本語のテキストです。いろはにほへと ちりぬるを。",
    bytes:
      "1b2442467c4b5c386c244e2546252d253925482447243921232424246d244f244b245b245824481b2842201b24422441246a244c246b247221231b2842",
  },
  {
    charset: "gb18030",
    text: "这是一个使用国标扩展码的网页。天地玄黄，宇宙洪荒，日月盈昃，辰宿列张。",
    bytes:
      "d5e2cac7d2bbb8f6cab9d3c3b9fab1eac0a9d5b9c2ebb5c4cdf8d2b3a1a3ccecb5d8d0febbc6a3acd3eed6e6bae9bbc4a3acc8d5d4c2d3afeabea3acb3bdcbdec1d0d5c5a1a3",
  },
  {
    charset: "big5",
    text: "這是一個使用大五碼的網頁。天地玄黃，宇宙洪荒，日月盈昃，辰宿列張。",
    bytes:
      "b36fac4fa440add3a8cfa5cea46aa4adbd58aababaf4adb6a143a4d1a661a5c8b6c0a141a674a97aac78afeea141a4e9a4ebacd5cccaa141a8b0b14aa643b169a143",
  },
  {
    charset: "euc-kr",
    text: "키스의 고유조건은 입술끼리 만나야 하고 특별한 기술은 필요치 않다.",
    bytes:
      "c5b0bdbac0c720b0edc0afc1b6b0c7c0ba20c0d4bcfab3a2b8ae20b8b8b3aabedf20c7cfb0ed20c6afbab0c7d120b1e2bcfac0ba20c7cabfe4c4a120becab4d92e",
  },
  {
    charset: "windows-1252",
    text: "Le cœur déçu mais l’âme plutôt naïve, Louÿs rêva de crapaüter en canoë au delà des îles.",
    bytes:
      "4c6520639c75722064e9e775206d616973206c92e26d6520706c7574f474206e61ef76652c204c6f75ff732072ea7661206465206372617061fc74657220656e2063616e6feb2061752064656ce02064657320ee6c65732e",
  },
  {
    charset: "windows-1253",
    text: "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία και το κείμενο αυτό είναι στα ελληνικά.",
    bytes:
      "cee5f3eae5f0dce6f920f4e7ed20f8f5f7eff6e8fcf1e120e2e4e5ebf5e3ecdfe120eae1e920f4ef20eae5dfece5edef20e1f5f4fc20e5dfede1e920f3f4e120e5ebebe7ede9eadc2e",
  },
  {
    charset: "iso-8859-2",
    text: "Příliš žluťoučký kůň úpěl ďábelské ódy, a přesto se stránka zobrazí správně.",
    bytes:
      "50f8ed6c69b920be6c75bb6f75e86bfd206bf9f220fa70ec6c20efe162656c736be920f364792c20612070f86573746f20736520737472e16e6b61207a6f6272617aed20737072e1766eec2e",
  },
  {
    charset: "windows-1255",
    text: "דג סקרן שט בים מאוכזב ולפתע מצא לו חברה, וזה הטקסט של הדף הזה בעברית.",
    bytes:
      "e3e220f1f7f8ef20f9e820e1e9ed20eee0e5ebe6e120e5ecf4faf220eef6e020ece520e7e1f8e42c20e5e6e420e4e8f7f1e820f9ec20e4e3f320e4e6e420e1f2e1f8e9fa2e",
  },
  {
    charset: "windows-874",
    text: "เป็นมนุษย์สุดประเสริฐเลิศคุณค่า กว่าบรรดาฝูงสัตว์เดรัจฉาน",
    bytes:
      "e0bbe7b9c1b9d8c9c2eccad8b4bbc3d0e0cac3d4b0e0c5d4c8a4d8b3a4e8d220a1c7e8d2bac3c3b4d2bdd9a7cad1b5c7ece0b4c3d1a8a9d2b9",
  },
];

const plainSentences = SENTENCES.filter(({ charset }) => charset !== "windows-874");

describe("decodeBody", () => {
  test.each(SENTENCES)("reads $charset named by the header", ({ charset, text, bytes }) => {
    const decoded = decodeBody(page(hex(bytes)), `text/html; charset=${charset}`);
    expect(decoded.text).toContain(text);
    expect(decoded.charset).toBe(charset);
  });

  test.each(SENTENCES)("reads $charset named by a meta element", ({ charset, text, bytes }) => {
    const decoded = decodeBody(page(hex(bytes), `<meta charset="${charset}">`), "text/html");
    expect(decoded.text).toContain(text);
    expect(decoded.charset).toBe(charset);
  });

  test.each(plainSentences)("recognises $charset without any label", ({ text, bytes }) => {
    expect(decodeBody(page(hex(bytes)), "text/html").text).toContain(text);
    expect(decodeBody(hex(bytes), undefined).text).toBe(text);
  });

  test.each(SENTENCES.filter(({ charset }) => /874|euc-jp|big5/.test(charset)))(
    "lets the language of the page speak for $charset",
    ({ charset, text, bytes }) => {
      const language = { "windows-874": "th", "euc-jp": "ja", big5: "zh-TW" }[charset];
      const html = join(encode(`<!doctype html><html lang="${language}"><body>`), hex(bytes));
      expect(decodeBody(html, "text/html").text).toContain(text);
    },
  );

  test.each([
    { why: "UTF-8", bytes: join(hex("efbbbf"), encode("né")), charset: "utf-8" },
    { why: "UTF-16, little endian", bytes: join(hex("fffe"), utf16("né", true)), charset: "utf-16le" },
    { why: "UTF-16, big endian", bytes: join(hex("feff"), utf16("né", false)), charset: "utf-16be" },
  ])("lets a byte order mark of $why win over the header, and drops it", ({ bytes, charset }) => {
    expect(decodeBody(bytes, "text/html; charset=shift_jis")).toEqual({ text: "né", charset });
  });

  test.each([true, false])("recognises UTF-16 without a mark (little endian: %s)", (littleEndian) => {
    const html = "<html><body><p>Füße 日本</p></body></html>";
    expect(decodeBody(utf16(html, littleEndian), "text/html; charset=utf-8").text).toBe(html);
  });

  test("takes a meta element that says UTF-16 for UTF-8, as browsers do", () => {
    const html = '<meta charset="utf-16le"><p>Füße</p>';
    expect(decodeBody(encode(html), "text/html")).toEqual({ text: html, charset: "utf-8" });
  });

  test.each([
    {
      why: "an http-equiv element",
      head: '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
    },
    { why: "attributes in the other order", head: "<META content='text/html;charset=cp1251' http-equiv=content-type>" },
    { why: "no quotes", head: "<meta charset=windows-1251>" },
    { why: "a comment that holds another one", head: '<!-- <meta charset="utf-8"> --><meta charset="windows-1251">' },
    { why: "an unknown label first", head: '<meta charset="none"><meta charset="windows-1251">' },
    {
      why: "a kilobyte and a half of script first",
      head: `<script>${"x();".repeat(400)}</script><meta charset="windows-1251">`,
    },
  ])("finds the declared charset with $why", ({ head }) => {
    expect(decodeBody(page(hex("cff0e8e2e5f2"), head), "text/html")).toMatchObject({ charset: "windows-1251" });
  });

  test("reads the encoding of an XML declaration", () => {
    const xml = join(encode('<?xml version="1.0" encoding="windows-1251"?><a>'), hex("cff0e8e2e5f2"), encode("</a>"));
    expect(decodeBody(xml, "application/xml").text).toContain("Привет");
  });

  test.each([
    {
      why: "UTF-8 that does not decode",
      header: "utf-8",
      body: page(hex("cff0e8e2e5f2"), '<meta charset="cp1251">'),
      text: "Привет",
    },
    {
      why: "UTF-8 that does not decode, without a meta element",
      header: "utf-8",
      body: page(
        hex(
          "93fa967b8cea82cc8365834c8358836782c582b7814282a282eb82cd82c982d982d682c62082bf82e882ca82e982f0814282b182cc8379815b835782cc95b68e9a8352815b836882cd8356837483674a495382c582b78142",
        ),
      ),
      text: "日本語のテキス",
    },
    {
      why: "Latin-1 of valid UTF-8",
      header: "iso-8859-1",
      body: page(encode("Füße und “Zitate”")),
      text: "Füße und “Zitate”",
    },
    { why: "UTF-16 of single bytes", header: "utf-16", body: page(encode("Füße")), text: "Füße" },
    { why: "an unknown label", header: "klingon", body: page(encode("Füße")), text: "Füße" },
  ])("passes over a header that says $why", ({ header, body, text }) => {
    expect(decodeBody(body, `text/html; charset=${header}`).text).toContain(text);
  });

  test("keeps UTF-8 for a page with one broken character", () => {
    const decoded = decodeBody(
      join(encode("Füße, Straße, Grüße, Bücher, Öl, Äpfel, öfter, über, ".repeat(3)), hex("ff")),
      "text/html; charset=utf-8",
    );
    expect(decoded.charset).toBe("utf-8");
    expect(decoded.text).toContain("Grüße");
  });

  test.each([
    { why: "a byte of another encoding", damaged: join(encode("Füße in Öl, ".repeat(4)), hex("92"), encode(" é")) },
    { why: "a character cut at its beginning", damaged: join(hex("9f9880"), encode(" Füße in Öl, ".repeat(4))) },
    { why: "a character cut at its end", damaged: join(encode("Füße in Öl, ".repeat(4)), hex("f09f98")) },
    { why: "an error for each hundred characters", damaged: join(...Array<Uint8Array>(3).fill(join(encode("ß".repeat(100)), hex("ff")))) },
  ])("keeps UTF-8 without a label and with $why", ({ damaged }) => {
    const decoded = decodeBody(damaged, "text/plain");
    expect(decoded).toEqual({ text: new TextDecoder().decode(damaged), charset: "utf-8" });
  }); // prettier-ignore

  test.each(plainSentences.filter(({ charset }) => charset !== "iso-2022-jp"))(
    "takes no $charset for UTF-8 with errors, whatever its length",
    ({ bytes }) => {
      for (const sample of [hex(bytes), hex(bytes.repeat(40)), hex(bytes.slice(2).repeat(40))])
        expect(decodeBody(sample, "text/plain").charset).not.toBe("utf-8");
      for (let length = 16; length < 64; length += 2) {
        const sample = hex(bytes.slice(0, length));
        const isAscii = sample.every((byte) => byte < 0x80);
        expect(decodeBody(sample, "text/plain").charset === "utf-8", String(length)).toBe(isAscii);
      }
    },
  );

  test("does not take a plain text about meta elements for a declaration", () => {
    expect(decodeBody(encode('Write <meta charset="shift_jis">: é'), "text/plain").charset).toBe("utf-8");
  });

  test.each([new Uint8Array(), hex("ff"), hex("fffe"), hex("1b"), hex("80".repeat(100))])("never throws", (bytes) => {
    expect(typeof decodeBody(bytes, undefined).text).toBe("string");
  });
});

describe("a large body", () => {
  const many = (sentence: string): Uint8Array => hex(sentence.repeat(Math.ceil(2_400_000 / sentence.length)));

  test.each([...SENTENCES, { charset: "utf-8", text: "", bytes: "61c3a9e6bca2f09f9880" }])(
    "is decoded in pieces: $charset",
    async ({ charset, bytes }) => {
      const body = page(many(bytes));
      const decoded = await decodeInTurns(body, `text/html; charset=${charset}`);
      expect(decoded.charset).toBe(charset);
      expect(decoded.text === new TextDecoder(charset).decode(body)).toBe(true);
    },
  );

  test("is judged by its text, whatever stands before it", async () => {
    const body = join(encode(`<script>${"x();".repeat(300_000)}</script>`), hex("cff0e8e2e5f2".repeat(100)));
    expect((await decodeInTurns(body, "text/html; charset=utf-8")).text).toContain("Привет");
  });

  test.each(["utf-8", "shift_jis", "gb18030", "iso-8859-1", ""])("takes no long turn, whatever it says: %j", async (charset) => {
    const decode = vi.spyOn(TextDecoder.prototype, "decode");
    const turns = vi.spyOn(globalThis, "setTimeout");
    try {
      await decodeInTurns(page(new Uint8Array(2_500_000).fill(0xff)), `text/html; charset=${charset}`);
      const lengths = decode.mock.calls.map(([bytes]) => bytes?.byteLength ?? 0);
      expect(Math.max(...lengths)).toBe(1_000_000);
      expect(turns.mock.calls.length).toBeGreaterThanOrEqual(3);
    } finally {
      decode.mockRestore();
      turns.mockRestore();
    }
  }); // prettier-ignore
});

test.each([
  { contentType: "text/html; charset=UTF-8", charset: "UTF-8" },
  { contentType: 'text/html;charset="shift_jis"; x=y', charset: "shift_jis" },
  { contentType: "text/html", charset: undefined },
  { contentType: undefined, charset: undefined },
])("the charset of $contentType is $charset", ({ contentType, charset }) => {
  expect(charsetOfContentType(contentType)).toBe(charset);
});
