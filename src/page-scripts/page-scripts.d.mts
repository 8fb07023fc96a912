/**
 * Classic scripts of the service's own pages, which run after the page's markup: `live-view/main.ts` and
 * `replay/main.ts`, bundled by `src/tools/build/build-page-scripts.ts`.
 */
export const pagePrograms: Record<"liveView" | "replay", string>;
