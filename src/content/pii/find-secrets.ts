import type { Span } from "./find-financial.ts";

/** Formats of keys that their issuers publish. Markdown may have escaped the underscores. */
const SECRETS = [
  /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----[^]*?-----END (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----/g,
  // AWS access keys, lasting and temporary.
  /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  // GitHub.
  /(?<!\w)gh[pousr]\\?_[A-Za-z0-9]{36,255}(?!\w)/g,
  /(?<!\w)github\\?_pat\\?_[A-Za-z0-9_\\]{22,255}/g,
  // Slack.
  /(?<!\w)xox[abeoprs]-[A-Za-z0-9-]{10,250}/g,
  /https:\/\/hooks\.slack\.com\/services\/T\w+\/B\w+\/\w+/g,
  // Stripe.
  /(?<!\w)[rs]k\\?_(?:live|test)\\?_[A-Za-z0-9]{16,250}(?!\w)/g,
  /(?<!\w)whsec\\?_[A-Za-z0-9+/=]{24,250}/g,
  // Google.
  /(?<!\w)AIza[\w-]{35}(?![\w-])/g,
  // JSON Web Tokens (RFC 7519): header and claims begin with `{"`.
  /(?<!\w)eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{16,}/g,
  // Keys of this API and of those that speak its language.
  /(?<!\w)fc-[0-9a-f]{32}(?!\w)/g,
];

/** Keys and tokens in one of the known formats. */
export function findSecrets(text: string): Span[] {
  return SECRETS.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ 0: match, index }) => ({ start: index, end: index + match.length })),
  );
}
