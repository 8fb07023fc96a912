import { COUNTY_SITES } from "./county-sites.ts";
import type { MadeUpNews, MadeUpSite } from "./site.ts";
import { TOWN_SITES } from "./town-sites.ts";

export const MADE_UP_SITES: readonly MadeUpSite[] = [...TOWN_SITES, ...COUNTY_SITES];

/** One page of the made-up web. */
export interface MadeUpPage {
  url: string;
  title: string;
  description: string;
  html: string;
}

const PATHS = ["/", "/about", "/prices", "/hours", "/contact", "/team", "/faq", "/figures", "/news/1", "/news/2"];

/** Returns the 200 pages of the made-up web: ten of each site, in four designs. */
export function madeUpPages(): MadeUpPage[] {
  return MADE_UP_SITES.flatMap((site, index) =>
    PATHS.map((path): MadeUpPage => {
      const { title, body } = contentOf(site, path, index % 4);
      const url = `https://${site.host}${path}`;
      const description = `${title} of ${site.name}`;
      const head = `<title>${title} – ${site.name}</title><meta name="description" content="${description}">`;
      const nav = `<nav>${PATHS.map((to) => `<a href="${to}">${to === "/" ? "Home" : to.slice(1)}</a>`).join(" ")}</nav>`;
      const foot = `<footer>© 2026 ${site.name}</footer>`;
      const html = `<!doctype html><html lang="en"><head>${head}</head><body>${nav}<main><h1>${title}</h1>${body}</main>${foot}</body></html>`;
      return { url, title: `${title} – ${site.name}`, description, html };
    }),
  );
}

function contentOf(site: MadeUpSite, path: string, design: number): { title: string; body: string } {
  const { name } = site;
  switch (path) {
    case "/":
      return { title: name, body: paragraphs(`${site.about} We are glad to see you.`, `Read on about our prices, our hours and our news.`) };
    case "/about":
      return {
        title: `About ${name}`,
        body: paragraphs(
          site.about,
          `${name} was founded in ${site.founded.year} by ${site.founded.by}.`,
          `In ${site.moved} it moved to its present home, and the old building was sold.`,
        ),
      };
    case "/prices":
      return { title: "Prices", body: `${pairs(site.prices, design, ["Item", "Price"])}${paragraphs(site.oldPrice, "All prices include tax.")}` };
    case "/hours":
      return { title: "Opening hours", body: pairs(site.hours, (design + 1) % 4, ["Days", "Hours"]) };
    case "/contact":
      return { title: "Contact", body: pairs([["Address", site.address], ["Email", site.email], ...(site.phone === undefined ? [] : [["Phone", site.phone] as [string, string]])], (design + 2) % 3, ["", ""]) };
    case "/team":
      return { title: `The team of ${name}`, body: pairs(site.team, (design + 3) % 3, ["Role", "Name"]) };
    case "/faq":
      return { title: "Questions and answers", body: site.faq.map(([question, answer]) => `<h3>${question}</h3><p>${answer}</p>`).join("") };
    case "/figures":
      return { title: `${name} in figures`, body: design % 2 === 0 ? paragraphs(...site.figures) : `<ul>${site.figures.map((text) => `<li>${text}</li>`).join("")}</ul>` };
    default:
      return newsOf(site.news[path.endsWith("1") ? 0 : 1]);
  }
} // prettier-ignore

function newsOf({ title, date, author, text }: MadeUpNews): { title: string; body: string } {
  const day = new Date(date).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
  return { title, body: `<p>By ${author}, <time datetime="${date}">${day}</time></p>${paragraphs(text)}` };
} // prettier-ignore

/** Writes pairs as a table, a description list, a list, or sentences. */
function pairs(rows: readonly (readonly [string, string])[], design: number, [left, right]: [string, string]): string {
  if (design === 0)
    return `<table><tr><th>${left}</th><th>${right}</th></tr>${rows.map(([one, other]) => `<tr><td>${one}</td><td>${other}</td></tr>`).join("")}</table>`;
  if (design === 1) return `<dl>${rows.map(([one, other]) => `<dt>${one}</dt><dd>${other}</dd>`).join("")}</dl>`;
  if (design === 2) return `<ul>${rows.map(([one, other]) => `<li>${one}: ${other}</li>`).join("")}</ul>`;
  return paragraphs(...rows.map(([one, other]) => `${one}: ${other}.`));
} // prettier-ignore

function paragraphs(...texts: string[]): string {
  return texts.map((text) => `<p>${text}</p>`).join("");
}
