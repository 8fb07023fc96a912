import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, ask } from "../../api/client.ts";
import { toApiError } from "../../api/use-loaded.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { DownloadButton } from "../../parts/download/download-button.tsx";
import { toBytes } from "../../parts/format.ts";

export interface Thumbnail {
  url: string;
  /** The page that shows the image. */
  page: string | undefined;
  title: string;
}

const AT_ONCE = 60;
const LOADED_AT_ONCE = 4;

/**
 * Images with their names. The dashboard loads nothing from other sites: it shows images that the answer contains, and
 * others on request, as the service scrapes them.
 */
export function Thumbnails({ images, file = "images.txt" }: { images: readonly Thumbnail[]; file?: string }) {
  const [count, setCount] = useState(AT_ONCE);
  const { states, show } = useImages();
  const listed = images.slice(0, count);
  const hidden = [...new Set(listed.map(({ url }) => url))].filter((url) => !isOwn(url) && !states.has(url));
  const urls = (): string => images.map(({ url }) => url).join("\n");
  return (
    <>
      <div class="result-tools">
        {hidden.length > 1 && (
          <button type="button" class="button button-quiet" onClick={() => void show(hidden)}>
            Show {hidden.length} images, for {hidden.length} credits
          </button>
        )}
        <CopyButton text={urls} label="Copy URLs" />
        <DownloadButton content={() => `${urls()}\n`} file={file} label="Download URLs" />
      </div>
      <ul class="thumbs">
        {listed.map(({ url, title }, at) => (
          <Thumb
            key={`${at} ${url}`}
            url={url}
            name={title === "" ? nameOf(url) : title}
            state={states.get(url)}
            show={() => void show([url])}
          />
        ))}
      </ul>
      {images.length > count && (
        <button type="button" class="button button-quiet" onClick={() => setCount(count + AT_ONCE)}>
          Show more of {images.length - count}
        </button>
      )}
    </>
  );
}

type ImageState = Shown | ApiError | "loading";

/** Loads images on request, a few at a time, until the view is left. Images that failed can be asked for again. */
function useImages(): { states: ReadonlyMap<string, ImageState>; show: (urls: readonly string[]) => Promise<void> } {
  const [states, setStates] = useState<ReadonlyMap<string, ImageState>>(new Map());
  const leaving = useRef(new AbortController());
  useEffect(() => {
    leaving.current = new AbortController();
    return () => leaving.current.abort();
  }, []);
  const show = async (urls: readonly string[]): Promise<void> => {
    const { signal } = leaving.current;
    const set = (url: string, state: ImageState): void => {
      if (!signal.aborted) setStates((known) => new Map(known).set(url, state));
    };
    for (const url of urls) set(url, "loading");
    const waiting = urls.values();
    const load = async (): Promise<void> => {
      for (const url of waiting) {
        if (signal.aborted) return;
        set(url, await scrapeImage(url, signal).catch((failure: unknown) => toApiError(failure)));
      }
    };
    await Promise.all(Array.from({ length: LOADED_AT_ONCE }, load));
  };
  return { states, show };
}

interface ThumbProps {
  url: string;
  name: string;
  /** undefined for an image that was not asked for. */
  state: ImageState | undefined;
  show: () => void;
}

function Thumb({ url, name, state, show }: ThumbProps) {
  const shown = state === "loading" || state instanceof ApiError ? undefined : state;
  const source = isOwn(url) ? url : shown?.source;
  return (
    <li class="thumb">
      <a href={url} target="_blank" rel="noopener noreferrer nofollow" title={url}>
        {source === undefined ? (
          <span class="thumb-image thumb-empty" aria-hidden="true">
            {endingOf(url)}
          </span>
        ) : (
          <img src={source} alt="" loading="lazy" class="thumb-image" />
        )}
        <span class="thumb-name">{name}</span>
      </a>
      {shown !== undefined && <span class="faint thumb-note">{toBytes(shown.bytes)}</span>}
      {source === undefined && (
        <button
          type="button"
          class="button button-quiet"
          title="Scrapes the image, for 1 credit"
          aria-label={`Show ${name}, for 1 credit`}
          disabled={state === "loading"}
          onClick={show}
        >
          {state === "loading" ? "Loading…" : "Show"}
        </button>
      )}
      {state instanceof ApiError && (
        <span class="problem thumb-note" role="alert">
          {state.message}
        </span>
      )}
    </li>
  );
}

interface Shown {
  /** URL of the image with its data. */
  source: string;
  bytes: number;
}

/** Scrapes an image. @throws ApiError */
async function scrapeImage(url: string, signal: AbortSignal): Promise<Shown> {
  const { data } = await ask<{ data: { rawBase64?: string; metadata?: { contentType?: string } } }>("/v2/scrape", {
    body: { url, formats: ["rawBase64"] },
    signal,
  });
  const { rawBase64 = "", metadata = {} } = data;
  const [type = ""] = (metadata.contentType ?? "").split(";");
  if (!type.startsWith("image/"))
    throw new ApiError(`This is no image (${type || "no content type"})`, { status: 200 });
  return { source: `data:${type};base64,${rawBase64}`, bytes: Math.floor((rawBase64.length * 3) / 4) };
}

function isOwn(url: string): boolean {
  return url.startsWith("data:image/") || (URL.canParse(url) && new URL(url).origin === location.origin);
}

function nameOf(url: string): string {
  if (url.startsWith("data:")) return "Embedded image";
  const name = URL.canParse(url) ? (new URL(url).pathname.split("/").at(-1) ?? url) : url;
  try {
    return decodeURI(name) || url;
  } catch {
    // A percent sign that begins no character.
    return name;
  }
}

function endingOf(url: string): string {
  return /\.(\w{2,5})(?:$|[?#])/.exec(url)?.[1]?.toUpperCase() ?? "IMAGE";
}
