const icon = (path: string): string => `<svg viewBox="0 0 24 24" aria-hidden="true">${path}</svg>`;

const PLAY = icon('<path d="M7 4.5v15l12-7.5z" fill="currentColor"/>');
const BACK = icon('<path d="M11 6 5 12l6 6M19 6l-6 6 6 6"/>');
const FORWARD = icon('<path d="m5 6 6 6-6 6M13 6l6 6-6 6"/>');
const LIST = icon('<path d="M4 6h16M4 12h16M4 18h10"/>');

/** The HTML of the replay page's body. */
export const REPLAY_MARKUP = `<header class="head">
  <h1 id="title">Recording</h1>
  <p class="where" id="where"></p>
  <span class="badge" id="badge">Loading</span>
  <button class="icon" id="toggle" type="button" aria-label="Requests" title="Requests" aria-pressed="true" aria-controls="network">${LIST}</button>
</header>
<div class="body">
  <main class="stage" id="stage">
    <canvas id="canvas" width="1" height="1" role="img" aria-label="Recorded page" hidden></canvas>
    <div class="cover" id="cover"><section class="card"><h2 id="cover-title">Loading recording</h2><p id="cover-text">This can take a few seconds.</p></section></div>
  </main>
  <aside class="network" id="network" aria-label="Requests">
    <div class="filter">
      <label class="away" for="filter">Filter requests</label>
      <input id="filter" type="search" placeholder="Filter requests" autocomplete="off" spellcheck="false">
      <a class="plain" id="har" download="network.har">HAR</a>
    </div>
    <ol id="requests" tabindex="0" aria-label="Requests by time"></ol>
    <p class="none" id="none" hidden>No requests</p>
  </aside>
</div>
<footer class="controls" aria-label="Playback">
  <div class="line">
    <div class="marks" id="marks" aria-hidden="true"></div>
    <input id="seek" type="range" min="0" max="1" value="0" step="1" aria-label="Position" disabled>
  </div>
  <div class="buttons">
    <button class="icon" id="back" type="button" aria-label="Back 5 seconds" title="Back 5 seconds" disabled>${BACK}</button>
    <button class="icon play" id="play" type="button" aria-label="Play" title="Play" disabled>${PLAY}</button>
    <button class="icon" id="forward" type="button" aria-label="Forward 5 seconds" title="Forward 5 seconds" disabled>${FORWARD}</button>
    <output id="time" for="seek">0:00 / 0:00</output>
    <label class="speed"><span class="away">Speed</span>
      <select id="speed"><option value="0.5">0.5×</option><option value="1" selected>1×</option><option value="2">2×</option><option value="4">4×</option><option value="8">8×</option></select>
    </label>
  </div>
</footer>
<p class="away" id="status" role="status" aria-live="polite"></p>`;
