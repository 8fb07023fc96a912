import { useState } from "preact/hooks";
import type { Rules } from "./rule-changes.ts";
import { linesOf, toggleLine } from "./monitor-form.ts";
import { regionsAt } from "./regions.ts";
import type { PageRegions, Region } from "./regions.ts";

interface PickerProps {
  picture: string;
  page: PageRegions;
  rules: Rules;
  change: (change: Partial<Rules>) => void;
}

const MAX_LISTED = 60;

/**
 * The page's picture, on which a click chooses the smallest region at that point, and the list of regions, which does
 * the same by keyboard.
 */
export function RegionPicker({ picture, page, rules, change }: PickerProps) {
  const [pointed, setPointed] = useState<Region>();
  const [chosen, setChosen] = useState<Region[]>([]);
  const [words, setWords] = useState("");
  const excluded = linesOf(rules.excludeTags);
  const included = linesOf(rules.includeTags);
  const place = (event: MouseEvent & { currentTarget: SVGSVGElement }): Region[] => {
    const box = event.currentTarget.getBoundingClientRect();
    const scale = page.width / box.width;
    return regionsAt(page, (event.clientX - box.left) * scale, (event.clientY - box.top) * scale);
  };
  const kindOf = ({ selector }: Region): string => {
    if (excluded.includes(selector)) return "region-excluded";
    return included.includes(selector) ? "region-included" : "region-chosen";
  };
  const ruled = page.regions.filter(({ selector }) => excluded.includes(selector) || included.includes(selector));
  const found = page.regions.filter(({ selector, text }) => `${selector} ${text}`.toLowerCase().includes(words));
  const listed = chosen.length > 0 ? chosen : found;
  return (
    <div class="stack">
      <div class="region-picture" tabIndex={0} role="region" aria-label="Picture of the page">
        <div class="picture-area">
          <img src={picture} alt="Screenshot of the page" />
          <svg
            class="region-map"
            viewBox={`0 0 ${page.width} ${page.height}`}
            preserveAspectRatio="none"
            aria-hidden="true"
            onMouseMove={(event) => setPointed(place(event)[0])}
            onMouseLeave={() => setPointed(undefined)}
            onClick={(event) => setChosen(place(event))}
          >
            {[...ruled, ...chosen.slice(0, 1)].map((region) => (
              <Outline key={region.selector} region={region} kind={kindOf(region)} />
            ))}
            {pointed !== undefined && <Outline region={pointed} kind="region-pointed" />}
          </svg>
        </div>
      </div>
      <div class="field">
        <label for="region-words">Regions of the page</label>
        <input
          id="region-words"
          type="search"
          placeholder="Filter by text or selector"
          value={words}
          onInput={(event) => {
            setWords(event.currentTarget.value.toLowerCase());
            setChosen([]);
          }}
        />
      </div>
      {chosen.length > 0 && (
        <div class="row spread">
          <p class="faint">The regions at this point, the smallest first.</p>
          <button type="button" class="button button-quiet" onClick={() => setChosen([])}>
            Show all
          </button>
        </div>
      )}
      <ul class="records regions" aria-label="Regions">
        {listed.slice(0, MAX_LISTED).map((region) => (
          <RegionRecord
            key={region.selector}
            region={region}
            isExcluded={excluded.includes(region.selector)}
            isIncluded={included.includes(region.selector)}
            point={() => setPointed(region)}
            exclude={() => change({ excludeTags: toggleLine(rules.excludeTags, region.selector) })}
            include={() => change({ includeTags: toggleLine(rules.includeTags, region.selector) })}
          />
        ))}
      </ul>
      {listed.length > MAX_LISTED && <p class="faint">Showing the first {MAX_LISTED} regions. Filter to see others.</p>}
    </div>
  );
}

function Outline({ region: { x, y, width, height }, kind }: { region: Region; kind: string }) {
  return <rect class={kind} x={x} y={y} width={width} height={height} />;
}

interface RecordProps {
  region: Region;
  isExcluded: boolean;
  isIncluded: boolean;
  point: () => void;
  exclude: () => void;
  include: () => void;
}

function RegionRecord({ region: { selector, text }, isExcluded, isIncluded, point, exclude, include }: RecordProps) {
  return (
    <li class="region" onMouseEnter={point} onFocusIn={point}>
      <span class="region-about">
        <code class="breaking">{selector}</code> <span class="faint region-text">{text}</span>
      </span>
      <button type="button" class="chip" aria-pressed={isExcluded} aria-label={`Ignore ${selector}`} onClick={exclude}>
        Ignore
      </button>
      <button
        type="button"
        class="chip"
        aria-pressed={isIncluded}
        aria-label={`Compare only ${selector}`}
        onClick={include}
      >
        Compare only
      </button>
    </li>
  );
}
