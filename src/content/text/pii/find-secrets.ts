import type { Span } from "./find-financial.ts";

/** Formats of keys that their issuers publish. Markdown may have escaped the underscores. */
const SECRETS = [
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
  // Keys of this API and of compatible ones.
  /(?<!\w)fc-[0-9a-f]{32}(?!\w)/g,
];

/** The first or last line of a private key in PEM (RFC 7468). */
const KEY_EDGE = /-----(BEGIN|END) (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----/g;
/** Words with dots between them, as tokens are written. */
const DOTTED = /(?<![\w-])[\w-]+(?:\.[\w-]+){2,}/g;
/** Header and claims of a JSON Web Token (RFC 7519) begin with `{"`. */
const TOKEN_START = /(?<!\w)eyJ(?=[\w-]{8})/;
const MIN_SIGNATURE_CHARS = 16;

/** Finds keys and tokens in one of the known formats. Takes time linear in the text. */
export function findSecrets(text: string): Span[] {
  const known = SECRETS.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ 0: match, index }) => ({ start: index, end: index + match.length })),
  );
  return [...findPrivateKeys(text), ...findWebTokens(text), ...known];
}

function findPrivateKeys(text: string): Span[] {
  const found: Span[] = [];
  let start = -1;
  for (const { 0: edge, 1: kind, index } of text.matchAll(KEY_EDGE)) {
    if (kind === "BEGIN") start = start < 0 ? index : start;
    else if (start >= 0) {
      found.push({ start, end: index + edge.length });
      start = -1;
    }
  }
  return found;
}

function findWebTokens(text: string): Span[] {
  return [...text.matchAll(DOTTED)].flatMap(({ 0: run, index }) => {
    const parts = run.split(".");
    const found: Span[] = [];
    let at = index;
    parts.forEach((header, part) => {
      const start = header.search(TOKEN_START);
      const [claims = "", signature = ""] = parts.slice(part + 1, part + 3);
      const length = header.length + claims.length + signature.length + 2;
      if (start >= 0 && claims.search(TOKEN_START) === 0 && signature.length >= MIN_SIGNATURE_CHARS)
        found.push({ start: at + start, end: at + length });
      at += header.length + 1;
    });
    return found;
  });
}
