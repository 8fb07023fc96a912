import type { LogoCandidate } from "../../core/scrape/page-styles.ts";
import { absolute, visible } from "./elements.ts";

const MAX_IMAGES = 300;
const MAX_SRC_LENGTH = 100_000;

/** Returns the images that may be logos. */
export function readLogos(): LogoCandidate[] {
  return visible("img, header svg, [class*=logo i] svg", MAX_IMAGES)
    .map(toCandidate)
    .filter(({ src }) => src !== "");
}

function toCandidate(element: Element): LogoCandidate {
  const link = element.closest("a[href]");
  const alt =
    element.getAttribute("alt") ?? element.getAttribute("aria-label") ?? link?.getAttribute("aria-label") ?? "";
  const { width, height } = element.getBoundingClientRect();
  const href = absolute(link?.getAttribute("href"));
  const isMarkup = element.localName === "svg";
  const src = isMarkup ? markupUrl(element) : imageUrl(element as HTMLImageElement);
  const fileName = isMarkup ? "" : (src.split("/").at(-1) ?? "");
  return {
    src: src.length > MAX_SRC_LENGTH ? "" : src,
    alt,
    href,
    inHeader: element.closest("header, nav, [role=banner]") !== null,
    linksHome: isHome(href),
    isNamed: /logo|brand/i.test(`${namesNear(element, link)} ${alt} ${fileName}`),
    area: Math.round(width * height),
  };
}

function markupUrl(element: Element): string {
  return `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(element))}`;
}

/** Elements other than `img` of that name have neither property. */
function imageUrl({ currentSrc, src }: Partial<HTMLImageElement>): string {
  return absolute(currentSrc || src);
}

function isHome(href: string): boolean {
  if (href === "") return false;
  const { origin, pathname } = new URL(href);
  return origin === location.origin && pathname === "/";
}

function namesNear(element: Element, link: Element | null): string {
  const near = [element, link, element.parentElement].filter((one) => one !== null);
  return near.map((one) => [one.id, one.getAttribute("class"), one.getAttribute("aria-label")].join(" ")).join(" ");
}
