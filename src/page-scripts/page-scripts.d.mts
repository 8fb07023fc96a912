import type { PageFunctionTexts } from "./page-functions.ts";

/** Functions that run in pages, each bundled with all that it uses. `src/tools/build/build-page-scripts.ts` builds them. */
export const pageFunctions: PageFunctionTexts;

/** Classic scripts of the service's own pages, which run after the page's markup. */
export const pagePrograms: Record<"liveView" | "replay", string>;
