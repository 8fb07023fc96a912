import type { Availability, Price } from "../../../core/scrape/product.ts";
import type { FactRecord } from "../facts.ts";
import { machineIn, recordsIn, textIn } from "../schema/read-record.ts";
import { readBoolean, readCurrency, readNumbers } from "../schema/values.ts";

const STRUCK = /^(?:ListPrice|StrikethroughPrice|SRP|MSRP)$/i;

/** Returns a text such as `€ 1.299,00` as a price; undefined when it holds no number. */
export function readPrice(
  text: string,
  { language, currency }: { language: string; currency?: string | undefined },
): Price | undefined {
  const [amount] = readNumbers(text, { language });
  if (amount === undefined || amount < 0) return undefined;
  const named = currency ?? readCurrency(text, language);
  // A bare number is machine-readable, and not a displayed price.
  const isFormatted = /[^\d.,\s-]/.test(text);
  return { amount, ...(named === undefined ? {} : { currency: named }), ...(isFormatted ? { formatted: text } : {}) };
}

/** Returns the price of a schema.org Offer or AggregateOffer, in any of its forms. */
export function offerPrice(offer: FactRecord, language: string): Price | undefined {
  const currency = machineIn(offer, "priceCurrency");
  const text = machineIn(offer, "price", "lowPrice");
  // Machine-readable prices have a decimal point whatever the page's language.
  if (text !== undefined) return readPrice(text, { language: /^[\d.]+$/.test(text) ? "en" : language, currency });
  for (const specification of recordsIn(offer, "priceSpecification")) {
    if (STRUCK.test(lastPart(machineIn(specification, "priceType") ?? ""))) continue;
    const price = offerPrice(specification, language);
    if (price !== undefined) return price;
  }
  return undefined;
}

/** Returns the price before a reduction, where the offer names one. */
export function originalPrice(offer: FactRecord, language: string): Price | undefined {
  for (const specification of recordsIn(offer, "priceSpecification")) {
    if (!STRUCK.test(lastPart(machineIn(specification, "priceType") ?? ""))) continue;
    const price = offerPrice(specification, language);
    if (price !== undefined) return price;
  }
  return undefined;
}

export function offerAvailability(offer: FactRecord): Availability | undefined {
  const text = machineIn(offer, "availability") ?? textIn(offer, "availability");
  if (text === undefined) return undefined;
  const word = lastPart(text);
  const inStock = /^(?:PreOrder|BackOrder)$/i.test(word) ? false : readBoolean(word);
  return inStock === undefined ? undefined : { inStock, text: word };
}

function lastPart(type: string): string {
  return type.replace(/^.*[/#]/, "");
}
