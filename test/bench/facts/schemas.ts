const TEXT = { type: "string" };
const DAY = { type: "string", format: "date" };
const NUMBER = { type: "number" };

/** The properties that are asked of each kind of page, those that it usually lacks included. */
export const FIELDS: Record<string, Record<string, object>> = {
  article: {
    title: TEXT,
    author: TEXT,
    datePublished: DAY,
    publisher: TEXT,
    description: TEXT,
    price: NUMBER,
    currency: TEXT,
  },
  product: {
    title: TEXT,
    brand: TEXT,
    price: NUMBER,
    currency: TEXT,
    sku: TEXT,
    description: TEXT,
    author: TEXT,
    phone: TEXT,
  },
  thread: { title: TEXT, author: TEXT, datePublished: DAY, price: NUMBER, email: TEXT },
  service: { title: TEXT, company: TEXT, phone: TEXT, email: TEXT, price: NUMBER, description: TEXT, author: TEXT },
  listing: { title: TEXT, description: TEXT, author: TEXT, datePublished: DAY, price: NUMBER },
  documentation: { title: TEXT, author: TEXT, datePublished: DAY, publisher: TEXT, description: TEXT, price: NUMBER },
};

/** Properties that are asked of each of the unseen pages in addition. */
export const FURTHER_FIELDS: Record<string, object> = { siteName: TEXT, image: { type: "string", format: "uri" } };
