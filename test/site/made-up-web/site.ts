/** Facts of one site of the made-up web. Everything is invented. */
export interface MadeUpSite {
  host: string;
  name: string;
  /** A sentence about its business. */
  about: string;
  founded: { year: number; by: string };
  /** A year in its history that is not the year of its foundation. */
  moved: number;
  /** Role and name; the first is the head. */
  team: [role: string, name: string][];
  prices: [item: string, price: string][];
  /** A price that is not valid any more. */
  oldPrice: string;
  hours: [days: string, times: string][];
  phone?: string;
  email: string;
  address: string;
  figures: string[];
  faq: [question: string, answer: string][];
  news: [MadeUpNews, MadeUpNews];
}

export interface MadeUpNews {
  title: string;
  /** ISO date of publication. */
  date: string;
  author: string;
  text: string;
}
