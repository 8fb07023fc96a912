import { useId, useState } from "preact/hooks";
import { CopyButton } from "../copy-button.tsx";

const MAX_SHOWN = 500;

/** A list of URLs with a filter and a copy button. */
export function LinkList({ urls }: { urls: readonly string[] }) {
  const id = useId();
  const [words, setWords] = useState("");
  const wanted = words.trim().toLowerCase();
  const found = wanted === "" ? urls : urls.filter((url) => url.toLowerCase().includes(wanted));
  return (
    <div class="link-list">
      <div class="row">
        <label class="visually-hidden" for={id}>
          Filter
        </label>
        <input
          id={id}
          type="search"
          placeholder={urls.length === 1 ? "Filter 1 URL" : `Filter ${urls.length.toLocaleString("en")} URLs`}
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <CopyButton text={() => found.join("\n")} label="Copy all" />
      </div>
      <ul class="links">
        {found.slice(0, MAX_SHOWN).map((url, index) => (
          <li key={index}>
            {/^https?:/i.test(url) ? (
              <a href={url} target="_blank" rel="noopener noreferrer">
                {url}
              </a>
            ) : (
              <span>{url.slice(0, 200)}</span>
            )}
          </li>
        ))}
      </ul>
      {found.length > MAX_SHOWN && <p class="faint">{(found.length - MAX_SHOWN).toLocaleString("en")} more</p>}
      {found.length === 0 && <p class="faint">No URLs match this filter.</p>}
    </div>
  );
}
