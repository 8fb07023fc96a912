import { useId, useState } from "preact/hooks";
import { ApiError, ask } from "../api/client.ts";
import { useLoaded } from "../api/use-loaded.ts";
import { EmptyState, ErrorNotice, Loading } from "../parts/notices.tsx";
import { comparePictures } from "./compare-pictures.ts";
import type { PictureDifference, Pixels } from "./compare-pictures.ts";
import type { CheckedPage } from "./monitor-types.ts";
import type { DiffLayout } from "./text-diff.tsx";

/** Longer pictures are compared in their upper part, since a canvas of more pixels may not be drawn. */
const MAX_HEIGHT = 12_000;

interface Compared extends PictureDifference {
  beforeUrl: string | undefined;
  afterUrl: string;
  width: number;
  height: number;
}

/** The screenshots of two checks: side by side with the differences outlined, or one over the other. */
export function PictureDiff({ page, layout }: { page: CheckedPage; layout: DiffLayout }) {
  const { value, error, reload } = useLoaded((signal) => compare(page, signal), [page.id]);
  if (error?.status === 404) {
    return (
      <EmptyState icon="clock" title="The screenshots have expired">
        <p>Screenshots are retained as long as results. The text of a check is retained longer.</p>
      </EmptyState>
    );
  }
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  if (value === undefined) return <Loading what="screenshots" />;
  if (value === "none") return <p class="faint">This check took no screenshot.</p>;
  return <Pictures compared={value} layout={layout} />;
}

function Pictures({ compared, layout }: { compared: Compared; layout: DiffLayout }) {
  const { beforeUrl, afterUrl, share, boxes } = compared;
  if (beforeUrl === undefined) {
    return (
      <figure class="picture">
        <figcaption>This is the first screenshot of the page. The next check compares with it.</figcaption>
        <img src={afterUrl} alt="Screenshot of this check" />
      </figure>
    );
  }
  return (
    <div class="stack">
      <p role="status">
        {boxes.length === 0
          ? "The screenshots are the same."
          : `${percent(share)} of the picture differs, in ${boxes.length} ${boxes.length === 1 ? "area" : "areas"}.`}
      </p>
      {layout === "side" ? (
        <div class="picture-sides">
          <Outlined url={beforeUrl} label="Before" compared={compared} />
          <Outlined url={afterUrl} label="After" compared={compared} />
        </div>
      ) : (
        <Overlaid beforeUrl={beforeUrl} compared={compared} />
      )}
    </div>
  );
}

function Outlined({ url, label, compared }: { url: string; label: string; compared: Compared }) {
  return (
    <figure class="picture">
      <figcaption>{label}</figcaption>
      <div class="picture-area">
        <img src={url} alt={`Screenshot ${label.toLowerCase()} the change`} />
        <Outlines compared={compared} />
      </div>
    </figure>
  );
}

/** Draws over an image whose top left corner and scale are those of the current picture. */
function Outlines({ compared: { boxes, width, height } }: { compared: Compared }) {
  return (
    <svg
      class="picture-outlines"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="xMinYMin meet"
      aria-hidden="true"
    >
      {boxes.map((box, at) => (
        <rect key={at} {...box} />
      ))}
    </svg>
  );
}

function Overlaid({ beforeUrl, compared }: { beforeUrl: string; compared: Compared }) {
  const [shown, setShown] = useState(50);
  const id = useId();
  return (
    <>
      <div class="field">
        <label for={id}>Before – after</label>
        <input
          id={id}
          type="range"
          min={0}
          max={100}
          value={shown}
          onInput={(event) => setShown(event.currentTarget.valueAsNumber)}
        />
      </div>
      <div class="picture-area">
        <img src={beforeUrl} alt="Screenshot before the change" />
        <img
          class="picture-over"
          src={compared.afterUrl}
          alt="Screenshot after the change"
          style={{ opacity: shown / 100 }}
        />
        <Outlines compared={compared} />
      </div>
    </>
  );
}

async function compare(page: CheckedPage, signal: AbortSignal): Promise<Compared | "none"> {
  const afterUrl = await screenshotOf(page.currentScrapeId, signal);
  if (afterUrl === undefined) return "none";
  const beforeUrl = await screenshotOf(page.previousScrapeId, signal).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  });
  const after = await pixelsOf(afterUrl, signal);
  const { width, height } = after;
  if (beforeUrl === undefined) return { beforeUrl, afterUrl, width, height, share: 0, boxes: [] };
  return { beforeUrl, afterUrl, width, height, ...comparePictures(await pixelsOf(beforeUrl, signal), after) };
}

/** Returns the path of a scrape's screenshot; undefined when it has none. */
async function screenshotOf(scrapeId: string | null, signal: AbortSignal): Promise<string | undefined> {
  if (scrapeId === null) return undefined;
  const { data } = await ask<{ data: { screenshot?: string } }>(`/v2/scrape/${encodeURIComponent(scrapeId)}`, {
    signal,
  });
  if (data.screenshot === undefined) return undefined;
  const { pathname, search } = new URL(data.screenshot, location.href);
  return `${pathname}${search}`;
}

async function pixelsOf(url: string, signal: AbortSignal): Promise<Pixels> {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new ApiError("The screenshot is not available any more.", { status: response.status });
  const picture = await createImageBitmap(await response.blob());
  try {
    const [width, height] = [picture.width, Math.min(picture.height, MAX_HEIGHT)];
    const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    if (context === null) throw new Error("This browser cannot compare pictures");
    context.drawImage(picture, 0, 0);
    return context.getImageData(0, 0, width, height);
  } finally {
    picture.close();
  }
}

function percent(share: number): string {
  const value = share * 100;
  return value < 0.1 ? "Less than 0.1 %" : `${value.toFixed(1)} %`;
}
