import { registrableDomain, withoutWww } from "../../core/url/registrable-domain.ts";

interface Places {
  startUrl: string;
  /** The `Sitemap` lines of robots.txt, unchanged. */
  listed?: readonly string[];
}

/** Returns the URLs of the sitemaps that robots.txt names, and of those that a site may have without that. */
export function sitemapPlaces({ startUrl, listed = [] }: Places): { named: string[]; guesses: string[] } {
  const start = new URL(startUrl);
  const named = listed.flatMap((line) => URL.parse(line, start.origin)?.href ?? []);
  const guesses = [new URL("./sitemap.xml", folderUrl(start)).href, new URL("/sitemap.xml", start).href];
  const domain = registrableDomain(start.hostname);
  if (domain !== undefined && domain !== withoutWww(start.hostname)) {
    guesses.push(`${start.protocol}//${domain}/sitemap.xml`);
  }
  return { named, guesses };
}

/** Returns the folder of the start page: `/docs/` for `/docs`, for `/docs/` and for `/docs/start.html`. */
function folderUrl(start: URL): URL {
  const last = start.pathname.slice(start.pathname.lastIndexOf("/") + 1);
  return new URL(last === "" || last.includes(".") ? start.pathname : `${start.pathname}/`, start);
}
