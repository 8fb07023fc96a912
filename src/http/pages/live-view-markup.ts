const icon = (path: string): string => `<svg viewBox="0 0 24 24" aria-hidden="true">${path}</svg>`;

const BACK = icon('<path d="M19 12H5m6-7-7 7 7 7"/>');
const FORWARD = icon('<path d="M5 12h14m-6-7 7 7-7 7"/>');
const RELOAD = icon('<path d="M20 11a8 8 0 1 0-1.2 5.2M20 4v7h-7"/>');
const KEYBOARD = icon(
  '<rect x="2.5" y="6" width="19" height="12" rx="2.5"/><path d="M7 10h.01M11 10h.01M15 10h.01M17.5 10h.01M8 14h8"/>',
);
const SCALE = icon('<path d="M15 4h5v5M9 20H4v-5M20 4l-6 6M4 20l6-6"/>');
const PLUS = icon('<path d="M12 5v14M5 12h14"/>');

/** The HTML of the live view's body. */
export const LIVE_VIEW_MARKUP = `<header class="top">
  <h1 class="away" id="heading">Live view</h1>
  <nav class="tabs" aria-label="Tabs">
    <ul id="tabs"></ul>
    <button class="new" id="new" type="button" aria-label="New tab" title="New tab" hidden>${PLUS}</button>
  </nav>
  <div class="tools" role="toolbar" aria-label="Navigation">
    <button class="icon drives" id="back" type="button" aria-label="Back" title="Back" hidden>${BACK}</button>
    <button class="icon drives" id="forward" type="button" aria-label="Forward" title="Forward" hidden>${FORWARD}</button>
    <button class="icon drives" id="reload" type="button" aria-label="Reload" title="Reload" hidden>${RELOAD}</button>
    <form class="address" id="go">
      <label class="away" for="address">URL</label>
      <input id="address" type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false" readonly>
    </form>
    <button class="icon drives" id="keyboard" type="button" aria-label="Keyboard" title="Type into the page" hidden>${KEYBOARD}</button>
    <button class="icon" id="scale" type="button" aria-label="Actual size" title="Actual size" aria-pressed="false">${SCALE}</button>
    <span class="badge warn" id="badge">Connecting</span>
  </div>
</header>
<main class="stage" id="stage">
  <div class="screen" id="screen" hidden>
    <canvas id="canvas" width="1" height="1" role="img" aria-label="Session page"></canvas>
    <textarea id="keys" tabindex="-1" autocomplete="off" autocapitalize="off" autocorrect="off" spellcheck="false"
      aria-label="Keyboard input goes to the page. Press Shift+Esc to leave."></textarea>
    <svg class="pointer" id="pointer" viewBox="0 0 24 24" aria-hidden="true" hidden><path d="M3 2l7 19 2.6-7.4L20 11z" fill="#111" stroke="#fff" stroke-width="1.6"/></svg>
  </div>
  <div class="cover" id="cover">
    <section class="card" aria-labelledby="cover-title">
      <h2 id="cover-title">Connecting</h2>
      <p id="cover-text">Waiting for the first frame.</p>
      <div class="row" id="cover-row" hidden><button class="plain main" id="again" type="button">Try again</button></div>
    </section>
  </div>
</main>
<p class="hint" id="hint" hidden></p>
<p class="away" id="status" role="status" aria-live="polite"></p>
<dialog class="card" id="ask" aria-labelledby="ask-title" aria-describedby="ask-message">
  <form method="dialog">
    <h2 id="ask-title">Message from the page</h2>
    <p id="ask-message"></p>
    <input id="ask-text" type="text" aria-label="Response" autocomplete="off">
    <div class="row">
      <button class="plain" id="ask-no" value="no" type="submit" formnovalidate>Cancel</button>
      <button class="plain main" id="ask-yes" value="yes" type="submit">OK</button>
    </div>
  </form>
</dialog>
<dialog class="card" id="choices" aria-labelledby="choices-title">
  <form method="dialog">
    <h2 id="choices-title">Choose</h2>
    <fieldset id="choices-list"></fieldset>
    <div class="row">
      <button class="plain" value="no" type="submit">Cancel</button>
      <button class="plain main" id="choices-yes" value="yes" type="submit">Choose</button>
    </div>
  </form>
</dialog>
<dialog class="card" id="field" aria-labelledby="field-title">
  <form method="dialog">
    <h2 id="field-title">Choose</h2>
    <input class="field" id="field-value" type="date">
    <div class="row">
      <button class="plain" value="no" type="submit" formnovalidate>Cancel</button>
      <button class="plain main" value="yes" type="submit">Choose</button>
    </div>
  </form>
</dialog>
<dialog class="card" id="files" aria-labelledby="files-title">
  <form method="dialog">
    <h2 id="files-title">Select a file</h2>
    <input class="field" id="files-value" type="file" aria-label="Files on this device">
    <div class="row">
      <button class="plain" value="no" type="submit" formnovalidate>Cancel</button>
      <button class="plain main" value="yes" type="submit">Upload</button>
    </div>
  </form>
</dialog>`;
