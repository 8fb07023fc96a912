import { useState } from "preact/hooks";
import { CopyButton } from "../../parts/copy-button.tsx";
import { DownloadButton } from "../../parts/download/download-button.tsx";

export interface Thumbnail {
  url: string;
  /** The page that shows the image. */
  page: string | undefined;
  title: string;
}

const AT_ONCE = 60;

/** Images with their names. The dashboard loads nothing from other sites: it shows images that the answer contains. */
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
          <li key={at} class="thumb">
            <a href={url} target="_blank" rel="noopener noreferrer nofollow" title={url}>
              <Picture url={url} />
              <span class="thumb-name">{title === "" ? nameOf(url) : title}</span>
            </a>
          </li>
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

function Picture({ url }: { url: string }) {
  return isOwn(url) ? (
    <img src={url} alt="" loading="lazy" class="thumb-image" />
  ) : (
    <span class="thumb-image thumb-empty" aria-hidden="true">
      {endingOf(url)}
    </span>
  );
}

function isOwn(url: string): boolean {
  return url.startsWith("data:image/") || (URL.canParse(url) && new URL(url).origin === location.origin);
}

function nameOf(url: string): string {
  if (url.startsWith("data:")) return "Embedded image";
  return decodeURI(URL.canParse(url) ? (new URL(url).pathname.split("/").at(-1) ?? url) : url) || url;
}

function endingOf(url: string): string {
  return /\.(\w{2,5})(?:$|[?#])/.exec(url)?.[1]?.toUpperCase() ?? "IMAGE";
}
