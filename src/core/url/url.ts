import { z } from "zod";
import { isIpAddress } from "./outbound-policy.ts";

const INVALID = "Invalid URL";
const UNSUPPORTED = "URL uses unsupported protocol";
export const NO_TOP_LEVEL_DOMAIN = "URL must have a valid top-level domain or be an IP address";

/** Maximum length of a URL in a request: no server reads longer ones, and a job stores each of its URLs in a row. */
export const MAX_URL_CHARACTERS = 16_384;

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const TOP_LEVEL_DOMAIN = /\.(?:[a-z]{2,}|xn--[a-z0-9-]+)\.?$/i;

/**
 * A URL as callers write it (api-contract.md, “URLs”): a missing scheme means http. The text is not changed;
 * `toAbsoluteUrl` returns the URL to load. Of the names without a top-level domain, only
 * `localhost` is accepted here; `assertLoadable` refuses it unless `ALLOW_PRIVATE_HOSTS` names it.
 */
export const UrlValue = z
  .string()
  .max(MAX_URL_CHARACTERS)
  .superRefine((text, context) => {
    const message = urlProblem(text);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });

/** Returns the URL to load for a caller's text. */
export function toAbsoluteUrl(text: string): string {
  const trimmed = text.trim();
  return new URL(SCHEME.test(trimmed) ? trimmed : `http://${trimmed}`).href;
}

function urlProblem(text: string): string | undefined {
  const trimmed = text.trim();
  if (/\s/.test(trimmed) || /^https?:\/\/https?:/i.test(trimmed)) return INVALID;
  const parsed = URL.parse(SCHEME.test(trimmed) ? trimmed : `http://${trimmed}`);
  if (parsed === null) return INVALID;
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") return UNSUPPORTED;
  return hasKnownShape(parsed.hostname) ? undefined : NO_TOP_LEVEL_DOMAIN;
}

function hasKnownShape(hostname: string): boolean {
  return hostname === "localhost" || isIpAddress(hostname.replace(/^\[|\]$/g, "")) || TOP_LEVEL_DOMAIN.test(hostname);
}

/**
 * Returns the URL under which a page is cached: no fragment (unless it is a hash route such as `#/a/b`), default port
 * and host case normalized by the parser, query unchanged, since its order may matter to the site.
 */
export function cacheUrl(url: string): string {
  const parsed = new URL(url);
  if (!parsed.hash.startsWith("#/") && !parsed.hash.startsWith("#!")) parsed.hash = "";
  return parsed.href;
}
