import type { Product, Variant } from "../../../core/scrape/product.ts";
import { offerAvailability, offerPrice, originalPrice, readPrice } from "./offers.ts";
import type { FactRecord, StructuredData } from "../facts.ts";
import { addressesIn, isOfType, machineIn, recordsIn, textIn } from "../schema/read-record.ts";
import { readBoolean } from "../schema/values.ts";

const PRODUCT_TYPES: ReadonlySet<string> = new Set(
  "Product ProductGroup ProductModel IndividualProduct SomeProducts Vehicle Car Book SoftwareApplication".split(" "),
);
const ALWAYS_PRODUCT: ReadonlySet<string> = new Set("Product ProductGroup ProductModel IndividualProduct".split(" "));
const OPTION_LABELS = ["color", "size", "material", "pattern", "width", "height", "weight", "suggestedAge"] as const;
const MAX_VARIANTS = 500;

/**
 * Returns the product that a page is about, from its structured data (schema.org Product and ProductGroup), else from
 * its head and its labels when they name a price.
 * @returns undefined for pages about no product, or about several.
 */
export function readProduct(data: StructuredData): Product | undefined {
  const record = chooseProduct(data);
  if (record !== undefined) return fromRecord(record, data);
  return fromPage(data);
}

/**
 * Returns the one product among the records: alone, or named by the page's address, or the only one with a description.
 */
function chooseProduct({ records, baseUrl }: StructuredData): FactRecord | undefined {
  const products = records.filter(
    (record) =>
      isOfType(record, PRODUCT_TYPES) &&
      textIn(record, "name") !== undefined &&
      (isOfType(record, ALWAYS_PRODUCT) || recordsIn(record, "offers").length > 0),
  );
  if (products.length <= 1) return products[0];
  const groups = products.filter(({ types }) => types.includes("ProductGroup"));
  if (groups.length === 1) return groups[0];
  const here = products.filter((record) =>
    addressesIn(record, "url", "mainEntityOfPage").some((url) => isSame(url, baseUrl)),
  );
  if (here.length > 0) return here[0];
  const described = products.filter((record) => textIn(record, "description") !== undefined);
  return described.length === 1 ? described[0] : undefined;
}

function isSame(url: string, other: string): boolean {
  const plain = (address: string): string => address.replace(/[?#].*$/, "").replace(/\/$/, "");
  return plain(url) === plain(other);
}

function fromRecord(record: FactRecord, data: StructuredData): Product {
  const offered = recordsIn(record, "offers").flatMap((offer) => {
    const inner = recordsIn(offer, "offers");
    return inner.length > 0 ? inner : [offer];
  });
  const parts = recordsIn(record, "hasVariant");
  const variants =
    parts.length > 0
      ? parts.map((part) => toVariant(part, recordsIn(part, "offers")[0], data))
      : offered.length > 0
        ? offered.map((offer) => toVariant(offered.length === 1 ? record : offer, offer, data))
        : [toVariant(record, undefined, data)];
  return {
    title: textIn(record, "name") ?? "",
    brand: textIn(record, "brand", "manufacturer"),
    category: textIn(record, "category"),
    url: addressesIn(record, "url")[0] ?? data.baseUrl,
    description: textIn(record, "description"),
    variants: variants.slice(0, MAX_VARIANTS),
  };
}

function toVariant(item: FactRecord, offer: FactRecord | undefined, { language }: StructuredData): Variant {
  const original = offer === undefined ? undefined : originalPrice(offer, language);
  const values = optionsOf(item);
  const images = addressesIn(item, "image");
  const sku = machineIn(item, "sku") ?? (offer === undefined ? undefined : machineIn(offer, "sku"));
  return {
    id: machineIn(item, "productID", "gtin13", "gtin", "mpn"),
    sku,
    title: textIn(item, "name"),
    values: Object.keys(values).length === 0 ? undefined : values,
    price: offer === undefined ? undefined : offerPrice(offer, language),
    sale: original === undefined ? undefined : { originalPrice: original },
    availability: offer === undefined ? undefined : offerAvailability(offer),
    images: images.length === 0 ? undefined : images.map((url) => ({ url })),
  };
}

function optionsOf(item: FactRecord): Record<string, string> {
  const named = OPTION_LABELS.flatMap((label): [string, string][] => {
    const text = textIn(item, label);
    return text === undefined ? [] : [[label, text]];
  });
  const properties = recordsIn(item, "additionalProperty").flatMap((property): [string, string][] => {
    const [name, value] = [textIn(property, "name"), textIn(property, "value")];
    return name === undefined || value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries([...named, ...properties]);
}

/** Reads a page without mark-up: a name and a price in the head (Open Graph's product tags) identify a shop's page. */
function fromPage({ page, baseUrl, language }: StructuredData): Product | undefined {
  const head: FactRecord = { ...page, facts: page.facts.filter(({ source }) => source === "meta") };
  const title = textIn(head, "title") ?? textIn(page, "title");
  const amount = machineIn(head, "price");
  if (title === undefined || amount === undefined) return undefined;
  const price = readPrice(amount, { language: "en", currency: machineIn(head, "currency") });
  const stock = readBoolean(textIn(page, "availability") ?? "");
  const images = addressesIn(head, "image");
  const variant: Variant = {
    sku: machineIn(head, "sku"),
    price: price ?? readPrice(amount, { language }),
    availability: stock === undefined ? undefined : { inStock: stock },
    images: images.length === 0 ? undefined : images.map((url) => ({ url })),
  };
  return {
    title,
    brand: textIn(head, "brand"),
    category: textIn(head, "category"),
    url: addressesIn(head, "url")[0] ?? baseUrl,
    description: textIn(head, "description"),
    variants: [variant],
  };
}
