import { useId, useState } from "preact/hooks";
import { CopyButton } from "../copy-button.tsx";
import { DownloadButton } from "../download/download-button.tsx";

/** URLs to show before and after each press of “Show more”. */
const AT_ONCE = 500;

/** A list of URLs with a filter and a copy button. */
export function LinkList({ urls, file = "links.txt" }: { urls: readonly string[]; file?: string }) {
  const id = useId();
  const [count, setCount] = useState(AT_ONCE);
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
        <DownloadButton content={() => `${found.join("\n")}\n`} file={file} />
      </div>
      <ul class="links">
        {found.slice(0, count).map((url, index) => (
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
      {found.length > count && (
        <button type="button" class="button button-quiet" onClick={() => setCount(count + AT_ONCE)}>
          Show more of {(found.length - count).toLocaleString("en")}
        </button>
      )}
      {found.length === 0 && <p class="faint">No URLs match this filter.</p>}
    </div>
  );
}
