const PARAGRAPH =
  "<p>The keeper wrote down the height of the water, with <a href='/log'>a link to the log</a> and <b>one bold word</b>, as every evening.</p>\n";
const CARD =
  "<div class='card'><a href='/shop/lantern'><img src='/img/lantern.png' alt='Lantern'><h3>Storm lantern</h3></a><span class='price'>£48</span><p>Burns all night.</p></div>\n";
const ROW = "<tr><td>Monday</td><td><a href='/tide'>4.48</a></td><td>three words here</td><td>0.71</td></tr>\n";

const SHAPES: Record<string, (bytes: number) => string> = {
  articles: (bytes) => `<main><article>${fill(PARAGRAPH, bytes)}</article></main>`,
  cards: (bytes) => `<main>${fill(CARD, bytes)}</main>`,
  table: (bytes) => `<main><table>${fill(ROW, bytes)}</table></main>`,
  text: (bytes) => `<main><p>${fill("flat words ", bytes)}</p></main>`,
};

export interface SizedPage {
  kind: string;
  megabytes: number;
  html: string;
}

/** Pages of one shape each, from a tenth of a megabyte to twenty. */
export function* sizedPages(): Generator<SizedPage> {
  for (const [kind, shape] of Object.entries(SHAPES)) {
    for (const megabytes of [0.1, 1, 5, 20]) yield { kind, megabytes, html: shape(megabytes * 1_000_000) };
  }
}

function fill(piece: string, bytes: number): string {
  return piece.repeat(Math.max(1, Math.round(bytes / piece.length)));
}
