/** Shared styles of the live view and the replay page: light and dark colours, focus rings, buttons, cards. */
export const PAGE_STYLE = `
:root {
  --ground: #eceef2; --bar: #ffffff; --bar-2: #f6f7f9; --line: #d5d9e0; --ink: #1c2129; --soft: #5b6472;
  --accent: #0b63ce; --accent-ink: #ffffff; --good: #146c43; --warn: #8a5000; --bad: #b42318; --shade: rgb(20 24 32 / .12);
  font: 14px/1.4 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1216; --bar: #1a1f26; --bar-2: #242a33; --line: #343c47; --ink: #e9edf2; --soft: #a3adba;
    --accent: #6cb0ff; --accent-ink: #08172a; --good: #5fd39b; --warn: #f2b54a; --bad: #ff8f84; --shade: rgb(0 0 0 / .5);
  }
}
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html, body { height: 100%; margin: 0; }
body { display: flex; flex-direction: column; background: var(--ground); color: var(--ink); overflow: hidden; }
button, input { font: inherit; color: inherit; }
::placeholder { color: var(--soft); opacity: 1; }
button { border: 1px solid transparent; border-radius: 8px; background: none; padding: 0; cursor: pointer; }
button:disabled { opacity: .38; cursor: default; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.icon { display: inline-grid; place-items: center; flex: none; width: 34px; height: 34px; color: var(--soft); }
.icon svg { width: 18px; height: 18px; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; }
.icon:not(:disabled):hover { background: var(--bar-2); color: var(--ink); }
.icon[aria-pressed="true"] { background: var(--bar-2); color: var(--accent); }
.plain { border-color: var(--line); background: var(--bar-2); padding: 7px 16px; font-weight: 550; }
.plain.main { background: var(--accent); border-color: var(--accent); color: var(--accent-ink); }
.away { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.card {
  max-width: min(430px, calc(100vw - 32px)); padding: 22px 24px; border: 1px solid var(--line); border-radius: 14px;
  background: var(--bar); color: var(--ink); box-shadow: 0 18px 50px var(--shade);
}
.card h2 { margin: 0 0 6px; font-size: 17px; }
.card p { margin: 0; color: var(--soft); overflow-wrap: anywhere; white-space: pre-line; }
.card .row { display: flex; justify-content: flex-end; gap: 8px; margin-top: 18px; }
dialog.card::backdrop { background: rgb(10 12 16 / .45); }
.badge { display: inline-flex; align-items: center; gap: 7px; flex: none; color: var(--soft); font-size: 13px; white-space: nowrap; }
.badge::before { content: ""; width: 8px; height: 8px; border-radius: 50%; background: currentColor; }
.badge.good { color: var(--good); } .badge.warn { color: var(--warn); } .badge.bad { color: var(--bad); }
@media (pointer: coarse) { .icon { width: 44px; height: 44px; } }
@media (prefers-reduced-motion: no-preference) { .turning svg { animation: turn 1s linear infinite; } }
@keyframes turn { to { transform: rotate(1turn); } }
`;
