import { useEffect, useRef, useState } from "preact/hooks";
import { differenceOf } from "./image-difference.ts";

const MODES = ["Divider", "Side by side", "Difference"] as const;
type Mode = (typeof MODES)[number];

export interface NamedScreenshot {
  label: string;
  url: string;
}

interface CompareProps {
  before: NamedScreenshot;
  after: NamedScreenshot;
}

/** Two screenshots over each other with a divider, next to each other, or as their difference. */
export function CompareScreenshots({ before, after }: CompareProps) {
  const [mode, setMode] = useState<Mode>("Divider");
  return (
    <div class="stack">
      <div class="chips" role="group" aria-label="Comparison">
        {MODES.map((name) => (
          <button key={name} type="button" class="chip" aria-pressed={name === mode} onClick={() => setMode(name)}>
            {name}
          </button>
        ))}
      </div>
      {mode === "Divider" && <Divider before={before} after={after} />}
      {mode === "Side by side" && (
        <div class="picture-pair">
          {[before, after].map(({ label, url }) => (
            <figure key={url}>
              <figcaption class="faint">{label}</figcaption>
              <img src={url} alt={`Screenshot, ${label}`} />
            </figure>
          ))}
        </div>
      )}
      {mode === "Difference" && <Difference before={before} after={after} />}
    </div>
  );
}

function Divider({ before, after }: CompareProps) {
  const [at, setAt] = useState(50);
  return (
    <>
      <input
        type="range"
        min={0}
        max={100}
        value={at}
        aria-label={`Divider between ${before.label} and ${after.label}`}
        onInput={(event) => setAt(event.currentTarget.valueAsNumber)}
      />
      <p class="picture-ends faint">
        <span>{before.label}</span>
        <span>{after.label}</span>
      </p>
      <div class="picture-stack">
        <img src={after.url} alt={`Screenshot, ${after.label}`} />
        <img src={before.url} alt={`Screenshot, ${before.label}`} style={{ clipPath: `inset(0 ${100 - at}% 0 0)` }} />
      </div>
    </>
  );
}

function Difference({ before, after }: CompareProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [state, setState] = useState("Comparing…");
  useEffect(() => {
    let isWanted = true;
    const draw = async (): Promise<void> => {
      const [one, other] = await Promise.all([loaded(before.url), loaded(after.url)]);
      if (!isWanted || canvas.current === null) return;
      const share = differenceOf(canvas.current, one, other);
      if (share === undefined) setState("The images are too large to compare.");
      else setState(share === 0 ? "The images are the same." : `${(share * 100).toFixed(2)} % of the pixels differ.`);
    };
    draw().catch(() => setState("An image could not be loaded."));
    return () => {
      isWanted = false;
    };
  }, [before.url, after.url]);
  return (
    <>
      <p role="status">{state}</p>
      <canvas
        ref={canvas}
        class="picture-difference"
        role="img"
        aria-label={`Difference of the screenshots. ${state}`}
      />
    </>
  );
}

async function loaded(url: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = url;
  await image.decode();
  return image;
}
