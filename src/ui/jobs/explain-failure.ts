/** Advice for the error codes of pages and jobs, in the order in which they are most often seen. */
const ADVICE: Record<string, string | undefined> = {
  SCRAPE_TIMEOUT: "The page was too slow. Retry it with a longer timeout.",
  SCRAPE_SITE_ERROR: "The site did not respond, or refused the connection. Check that it is online, then retry.",
  SCRAPE_ALL_ENGINES_FAILED:
    "No engine got content. Retry with waitFor or with the browser, or check the page by hand.",
  SCRAPE_DNS_RESOLUTION_ERROR: "The host name does not exist. Check the URL for typos.",
  SCRAPE_SSL_ERROR: "The certificate of the site is invalid. Set skipTlsVerification to accept it.",
  SCRAPE_BROWSER_UNAVAILABLE: "All browsers were busy. Retry later, or with fewer concurrent pages.",
  SCRAPE_UNSUPPORTED_FILE_ERROR: "This type of file cannot be read.",
  SCRAPE_BODY_TOO_LARGE: "The response is larger than the limit of this service.",
  SCRAPE_WORK_LIMIT: "The page or file is too complex to read within the limits of this service.",
  SCRAPE_REDIRECT_ERROR: "The page redirects in a circle. Scrape the final URL.",
  SCRAPE_RETRY_LIMIT: "The page failed on every attempt.",
  SCRAPE_PDF_OCR_REQUIRED: "The PDF is a scan without text.",
  SAFE_MODE_BLOCKED: "The outbound policy does not allow this address.",
};

/** Returns what to do about an error; undefined when there is no advice. */
export function adviceFor(code: string | undefined, message = ""): string | undefined {
  const known = code === undefined ? undefined : ADVICE[code];
  if (known !== undefined) return known;
  if (/credit/i.test(message))
    return "The key has too few credits. Raise its budget under Keys, or wait until next month.";
  if (/robots\.txt/i.test(message))
    return "The site's robots.txt disallows this page. Pages of your own can be scraped one by one.";
  if (/model/i.test(message)) return "Configure a language model, or use a schema without prompts.";
  return undefined;
}
