import type { Exchange, Route } from "../exchange.ts";
import { reply, replyJson, TEXT } from "../reply.ts";

/** The four articles, for feeds and sitemaps. */
export const ARTICLES = [
  {
    path: "/articles/ferry-timetable",
    title: "The ferry that refuses to be on time",
    date: "2024-02-09",
    summary: "Why the 7.40 leaves at 7.52 & why nobody wants that changed.",
  },
  {
    path: "/articles/seagrass",
    title: "Sowing a meadow under three metres of water",
    date: "2024-04-02",
    summary: "Sixty volunteers, two hundred thousand seeds and a winter of waiting.",
  },
  {
    path: "/articles/bell-foundry",
    title: "A bell for the fog, cast twice",
    date: "2024-01-19",
    summary: "The first one cracked on a Tuesday in front of the bishop.",
  },
  {
    path: "/articles/night-market",
    title: "The night market moves to the fish hall",
    date: "2024-03-01",
    summary: "Forty stalls, one tap and a roof at last.",
  },
];

const BERTHS = {
  harbour: "Harrow Bay",
  berths: 84,
  free: 9,
  pontoons: [
    { name: "east", depthMetres: 2.4, power: true, visitors: ["Marguerite", "Zeevonk"] },
    { name: "west", depthMetres: 1.9, power: false, visitors: [] },
  ],
  note: 'Quotes " and umlauts äöü are fine here',
};

const HOUSE_RULES = `HOUSE RULES OF THE NET LOFT

1. Nets before newspapers.
2. Whoever finishes the tea puts the kettle on.
3. The lamp by the door stays lit until the ferry is in.

   * Rule 3 has never been broken.
   * Rule 2 has.

<This is not a tag>, and this _is_ not *markup*.
`;

/** Answers that are not pages: JSON, text, XML, feeds. */
export const data: Route[] = [
  { path: "/example.json", about: "a JSON object", answer: (exchange) => replyJson(exchange, BERTHS) },
  {
    path: "/plain.txt",
    about: "plain text with signs that are markup elsewhere",
    answer: (exchange) => reply(exchange, { type: TEXT, body: HOUSE_RULES }),
  },
  {
    path: "/example.xml",
    about: "an XML document",
    answer: (exchange) => reply(exchange, { type: "application/xml; charset=utf-8", body: XML }),
  },
  {
    path: "/example.md",
    about: "Markdown as text/markdown",
    answer: (exchange) =>
      reply(exchange, {
        type: "text/markdown; charset=utf-8",
        body: "# Log\n\n- 05:10 *slack water*\n- 06:00 ferry bell\n",
      }),
  },
  {
    path: "/broken.json",
    about: "JSON that breaks off",
    answer: (exchange) =>
      reply(exchange, { type: "application/json", body: '{"harbour": "Harrow Bay", "berths": [1, 2,' }),
  },
  {
    path: "/feed.rss",
    about: "RSS 2.0 of the articles",
    answer: (exchange) => reply(exchange, { type: "application/rss+xml; charset=utf-8", body: rss(exchange) }),
  },
  {
    path: "/feed.atom",
    about: "Atom 1.0 of the articles",
    answer: (exchange) => reply(exchange, { type: "application/atom+xml; charset=utf-8", body: atom(exchange) }),
  },
  {
    path: "/llms.txt",
    about: "the site's own guide for language models",
    answer: (exchange) =>
      reply(exchange, {
        type: "text/markdown; charset=utf-8",
        body: `# Harrow Bay\n\n> A small harbour.\n\n- [Manual](${exchange.origin}/docs/)\n`,
      }),
  },
];

const XML = `<?xml version="1.0" encoding="UTF-8"?>
<log station="Harrow Bay">
  <entry at="2024-04-23T04:51:00+01:00"><height unit="m">4.62</height><kind>high</kind></entry>
  <entry at="2024-04-23T11:07:00+01:00"><height unit="m">0.58</height><kind>low</kind></entry>
  <remark><![CDATA[Wind <fresh> & rising]]></remark>
</log>
`;

function xmlText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function rss({ origin }: Exchange): string {
  const items = ARTICLES.map(({ path, title, date, summary }) =>
    [
      "<item>",
      `<title>${xmlText(title)}</title><link>${origin}${path}</link><guid>${origin}${path}</guid>`,
      `<pubDate>${new Date(date).toUTCString()}</pubDate><description>${xmlText(summary)}</description>`,
      "</item>",
    ].join("\n"),
  );
  const channel = `<title>Harrow Bay</title><link>${origin}/</link><description>Articles of the paper</description>`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel>\n${channel}\n${items.join("\n")}\n</channel></rss>\n`;
}

function atom({ origin }: Exchange): string {
  const entries = ARTICLES.map(({ path, title, date, summary }) =>
    [
      "<entry>",
      `<title>${xmlText(title)}</title><link href="${origin}${path}"/><id>${origin}${path}</id>`,
      `<updated>${date}T06:00:00Z</updated><summary>${xmlText(summary)}</summary>`,
      "</entry>",
    ].join("\n"),
  );
  const head = `<title>Harrow Bay</title><id>${origin}/</id><link href="${origin}/"/><updated>2024-04-02T06:00:00Z</updated>`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n${head}\n${entries.join("\n")}\n</feed>\n`;
}
