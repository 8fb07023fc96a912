import { useState } from "preact/hooks";
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

/**
 * Images with their names. The dashboard loads nothing from other sites: it shows images that the answer contains, and
 * others on request, as the service scrapes them.
 */
export function Thumbnails({ images, file = "images.txt" }: { images: readonly Thumbnail[]; file?: string }) {
  const [count, setCount] = useState(AT_ONCE);
  const urls = (): string => images.map(({ url }) => url).join("\n");
  return (
    <>
      <div class="result-tools">
        <CopyButton text={urls} label="Copy URLs" />
        <DownloadButton content={() => `${urls()}\n`} file={file} label="Download URLs" />
      </div>
      <ul class="thumbs">
        {images.slice(0, count).map(({ url, title }, at) => (
          <Thumb key={`${at} ${url}`} url={url} name={title === "" ? nameOf(url) : title} />
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

function Thumb({ url, name }: { url: string; name: string }) {
  const [shown, setShown] = useState<Shown>();
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const source = isOwn(url) ? url : shown?.source;
  const show = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      setShown(await scrapeImage(url));
    } catch (failure) {
      setError(toApiError(failure).message);
    }
    setBusy(false);
  };
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
          disabled={isBusy}
          onClick={() => void show()}
        >
          {isBusy ? "Loading…" : "Show"}
        </button>
      )}
      {error !== undefined && (
        <span class="problem thumb-note" role="alert">
          {error}
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
async function scrapeImage(url: string): Promise<Shown> {
  const { data } = await ask<{ data: { rawBase64?: string; metadata?: { contentType?: string } } }>("/v2/scrape", {
    body: { url, formats: ["rawBase64"] },
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
