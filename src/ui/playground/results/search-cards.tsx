import { DownloadButton } from "../../parts/download/download-button.tsx";
import { toWords } from "../../parts/format.ts";
import { requestLink } from "../request/request-link.ts";
import type { SearchGroup, SearchItem } from "./result-shapes.ts";
import { Thumbnails } from "./thumbnails.tsx";

/** Search results as cards, images as thumbnails. */
export function SearchCards({ groups }: { groups: readonly SearchGroup[] }) {
  return (
    <div class="stack">
      <div class="result-tools">
        <DownloadButton
          content={() => JSON.stringify(groups, undefined, 2)}
          file="search.json"
          type="application/json"
          label="Download JSON"
        />
      </div>
      {groups.map(({ name, items }) => (
        <section key={name} aria-label={toWords(name)} class="stack">
          <h3>
            {toWords(name)} <span class="count">{items.length}</span>
          </h3>
          {name === "images" ? (
            <Thumbnails
              images={items.map(({ imageUrl, url, title }) => ({ url: imageUrl ?? url, page: url, title }))}
            />
          ) : (
            <ol class="hit-list">
              {items.map((item, at) => (
                <Hit key={at} item={item} />
              ))}
            </ol>
          )}
        </section>
      ))}
    </div>
  );
}

function Hit({ item: { url, title, text, facts } }: { item: SearchItem }) {
  const body = { url, formats: ["markdown"] };
  return (
    <li class="hit">
      <h4 dir="auto">
        <a href={url} target="_blank" rel="noopener noreferrer nofollow">
          {title === "" ? url : title}
        </a>
      </h4>
      <p class="hit-url faint breaking">{url}</p>
      {text !== "" && (
        <p dir="auto" class="breaking">
          {text}
        </p>
      )}
      <p class="hit-foot faint">
        <span>{facts.join(" · ")}</span>
        <a
          href={requestLink({ operation: "post /v2/scrape", body })}
          aria-label={`Scrape ${title === "" ? url : title}`}
        >
          Scrape
        </a>
      </p>
    </li>
  );
}
