import { expect, test } from "vitest";
import { decodeLetters } from "../../../../src/content/text/decode-letters.ts";

test.each([
  { text: "Redacci&oacute;n", decoded: "Redacción" },
  { text: "Caf&#233; &#xE0; la carte &ndash; &euro;4", decoded: "Café à la carte – €4" },
  { text: "&bdquo;Gl&uuml;ck&ldquo;&hellip;", decoded: "„Glück“…" },
  { text: "Fish & chips", decoded: "Fish & chips" },
  { text: "&lt;b&gt; &amp;amp; &quot;&#60;&#38;", decoded: "&lt;b&gt; &amp;amp; &quot;&#60;&#38;" },
  { text: "&nosuchname; &oacute &#9999999;", decoded: "&nosuchname; &oacute &#9999999;" },
  { text: "&#x202e;&#8203;", decoded: "&#x202e;&#8203;" },
])("$text becomes $decoded", ({ text, decoded }) => {
  expect(decodeLetters(text)).toBe(decoded);
});
