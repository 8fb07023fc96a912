const STEP_MS = 40;
/** A page that loads more at its end gets a moment to do so. */
const END_MS = 250;
const POLL_MS = 50;

export async function scrollThrough({ maxHeight, budgetMs }: { maxHeight: number; budgetMs: number }): Promise<void> {
  const endMs = Date.now() + budgetMs;
  const height = (): number => Math.min(maxHeight, document.scrollingElement?.scrollHeight ?? 0);
  let y = 0;
  while (Date.now() < endMs) {
    if (y >= height()) await pause(END_MS);
    if (y >= height()) break;
    scrollTo({ top: y, behavior: "instant" });
    y += innerHeight;
    await pause(STEP_MS);
  }
  const images = [...document.images].filter(
    (image) => image.loading !== "lazy" || image.getBoundingClientRect().top + scrollY < maxHeight,
  );
  while (images.some(({ complete }) => !complete) && Date.now() < endMs) await pause(POLL_MS);
  scrollTo({ top: 0, behavior: "instant" });
  await pause(POLL_MS);
}

export function scrollPage(direction: "up" | "down"): void {
  scrollBy({ top: signOf(direction) * innerHeight, behavior: "instant" });
}

export function scrollElement(direction: "up" | "down", selector: string): "missing" | "done" {
  const element = document.querySelector(selector);
  if (element === null) return "missing";
  const { scrollTop, scrollHeight, clientHeight } = element;
  element.scrollBy({ top: signOf(direction) * clientHeight, behavior: "instant" });
  if (element.scrollTop === scrollTop && scrollHeight <= clientHeight) {
    element.scrollIntoView({ block: "center", behavior: "instant" });
  }
  return "done";
}

export function scrollOneScreen(direction: "up" | "down", selector: string | null): "missing" | "moved" | "still" {
  const element = selector === null ? document.scrollingElement : document.querySelector(selector);
  if (element === null) return selector === null ? "still" : "missing";
  const before = element.scrollTop;
  element.scrollBy({ top: signOf(direction) * element.clientHeight, behavior: "instant" });
  return Math.abs(element.scrollTop - before) < 1 ? "still" : "moved";
}

function signOf(direction: "up" | "down"): 1 | -1 {
  return direction === "down" ? 1 : -1;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
