/** Marks around the number of a reference to a note or a comment that is put in after the parts of a document have been read. */
const OPEN = "\uE006";
const CLOSE = "\uE007";
const PLACES = /\uE006(\d{1,6})\uE007/g;
/** References to notes and comments in the XML of a Word document. */
export const REFERENCES = /<w:(?:footnote|endnote|comment)Reference\b[^<>]*\/>/g;
/** Ends the HTML of each reference. */
const STOP = `<w:r><w:t>${CLOSE}</w:t></w:r>`;

/** Takes the references to notes and comments out of the XML of a Word document; undefined where its own text has the marks. */
export function takeReferences(document: string): { document: string; references: string[] } | undefined {
  if (document.includes(OPEN) || document.includes(CLOSE)) return undefined;
  const references: string[] = [];
  const marked = document.replace(
    REFERENCES,
    (reference) => `<w:t>${OPEN}${references.push(reference) - 1}${CLOSE}</w:t>`,
  );
  return { document: marked, references };
}

/**
 * Puts references into the HTML of the parts of a document, and the notes behind it: they are numbered in the order in which they
 * stand there, and those in deleted text stand nowhere. `convert` writes the body of a document with the notes as HTML.
 */
export async function putReferences(
  html: string,
  references: readonly string[],
  convert: (body: string) => Promise<string>,
): Promise<string> {
  const numbers = Array.from(html.matchAll(PLACES), ([, number]) => Number(number));
  if (numbers.length === 0) return html;
  const runs = numbers.map((number) => `<w:r>${references[number] ?? ""}</w:r>${STOP}`);
  const written = await convert(`<w:p>${runs.join("")}</w:p>`);
  const end = written.indexOf(`${CLOSE}</p>`);
  const pieces = written.slice("<p>".length, Math.max(0, end)).split(CLOSE);
  let next = 0;
  const placed = html.replace(PLACES, () => pieces[next++] ?? "");
  return placed + written.slice(end + CLOSE.length + "</p>".length);
}
