/** The sources that the model learns from, and how much each of their pages counts. */
export interface Source {
  name: string;
  /** Gold texts that another extractor wrote count little, those of people and of parsers for one site much. */
  weight: number;
  /** Least share of the gold text's words that a page must have: of others, what is beside the gold would be learned as noise. */
  leastFound: number;
  /** The other sources disagree on titles, authors, dates and captions: nothing is learned about these from them. */
  judgesAll: boolean;
  about: string;
  licence: string;
}

export const SOURCES = [
  {
    name: "wcxb",
    weight: 1,
    leastFound: 0.6,
    judgesAll: true,
    about: "WCXB, Web Content Extraction Benchmark, development set (Murrough Foley)",
    licence: "CC-BY-4.0",
  },
  {
    name: "fundus",
    weight: 1.5,
    leastFound: 0.8,
    judgesAll: false,
    about: "flairNLP/fundus, test pages of publishers",
    licence: "MIT",
  },
  {
    name: "newspaper",
    weight: 0.8,
    leastFound: 0.8,
    judgesAll: false,
    about: "newspaper and newspaper4k, test pages",
    licence: "MIT",
  },
  {
    name: "postlight",
    weight: 0.8,
    leastFound: 0.8,
    judgesAll: false,
    about: "postlight/parser, test pages of sites",
    licence: "Apache-2.0 or MIT",
  },
  {
    name: "magic-article",
    weight: 0.8,
    leastFound: 0.8,
    judgesAll: false,
    about: "opendatalab/magic-html, articles",
    licence: "Apache-2.0",
  },
  {
    name: "magic-forum",
    weight: 0.6,
    leastFound: 0.8,
    judgesAll: false,
    about: "opendatalab/magic-html, threads",
    licence: "Apache-2.0",
  },
  {
    name: "readability",
    weight: 0.2,
    leastFound: 0.8,
    judgesAll: false,
    about: "mozilla/readability, test pages",
    licence: "Apache-2.0",
  },
  {
    name: "defuddle",
    weight: 0.2,
    leastFound: 0.8,
    judgesAll: false,
    about: "kepano/defuddle, test pages",
    licence: "MIT",
  },
] as const satisfies readonly Source[];

/** Kinds of pages that are few in every source count more: else articles would decide what is content. */
export const TYPE_WEIGHTS: Readonly<Record<string, number>> = {
  collection: 1.3,
  product: 1.3,
  listing: 1.3,
  forum: 1.3,
  service: 1.2,
};

export type SourceName = (typeof SOURCES)[number]["name"];

export function sourceNamed(name: SourceName): Source {
  const source: Source | undefined = SOURCES.find((known) => known.name === name);
  if (source === undefined) throw new Error(`No source is called "${name}"`);
  return source;
}
