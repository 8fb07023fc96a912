import { useState } from "preact/hooks";
import { toWords } from "../../parts/format.ts";
import { CompareScreenshots, type NamedScreenshot } from "./compare-screenshots.tsx";

/** A screenshot of this or an earlier response. */
const ZOOMS = ["fit", "50 %", "100 %", "200 %"] as const;
type Zoom = (typeof ZOOMS)[number];

interface ScreenshotProps {
  url: string;
  of: string | undefined;
  /** Other screenshots, to compare this one with. */
  others?: readonly NamedScreenshot[];
}

/** A screenshot to zoom and to compare with another one. Images of other origins are linked: the policy blocks them. */
export function ScreenshotView({ url, of, others = [] }: ScreenshotProps) {
  const [zoom, setZoom] = useState<Zoom>("fit");
  const [other, setOther] = useState("");
  const [width, setWidth] = useState(0);
  const link = (
    <a href={url} target="_blank" rel="noopener noreferrer">
      Open image
    </a>
  );
  if (!isOwn(url)) return <p>The image is on another origin. {link}</p>;
  const compared = others.find((one) => one.url === other);
  const scale = zoom === "fit" ? undefined : Number.parseInt(zoom, 10) / 100;
  return (
    <figure class="screenshot">
      <div class="result-tools">
        {compared === undefined && (
          <div class="chips" role="group" aria-label="Zoom">
            {ZOOMS.map((name) => (
              <button key={name} type="button" class="chip" aria-pressed={name === zoom} onClick={() => setZoom(name)}>
                {name === "fit" ? toWords(name) : name}
              </button>
            ))}
          </div>
        )}
        {others.length > 0 && (
          <select
            class="short"
            aria-label="Compare with"
            value={other}
            onChange={(event) => setOther(event.currentTarget.value)}
          >
            <option value="">Compare with…</option>
            {others.map((one) => (
              <option key={one.url} value={one.url}>
                {one.label}
              </option>
            ))}
          </select>
        )}
        <a class="button button-quiet" href={url} download>
          Download
        </a>
      </div>
      {compared === undefined ? (
        <div class="picture-box" tabIndex={0} role="region" aria-label="Screenshot">
          <img
            src={url}
            alt={`Screenshot of ${of ?? "the page"}`}
            class={scale === undefined ? undefined : "picture-zoomed"}
            style={scale === undefined || width === 0 ? {} : { width: `${Math.round(width * scale)}px` }}
            onLoad={(event) => setWidth(event.currentTarget.naturalWidth)}
          />
        </div>
      ) : (
        <CompareScreenshots before={compared} after={{ label: "This response", url }} />
      )}
      <figcaption>{link}</figcaption>
    </figure>
  );
}

function isOwn(url: string): boolean {
  return url.startsWith("data:image/") || (URL.canParse(url) && new URL(url).origin === location.origin);
}
