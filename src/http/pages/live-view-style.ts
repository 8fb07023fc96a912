/** Styles of the live view, in addition to `PAGE_STYLE`. */
export const LIVE_VIEW_STYLE = `
.top { flex: none; background: var(--bar); border-bottom: 1px solid var(--line); }
.tabs { display: flex; gap: 2px; align-items: flex-end; padding: 6px 8px 0; background: var(--ground); overflow-x: auto; scrollbar-width: none; }
.tabs ul { display: flex; gap: 2px; margin: 0; padding: 0; list-style: none; min-width: 0; }
.tabs li {
  display: flex; align-items: center; flex: 0 1 220px; min-width: 104px; max-width: 220px; height: 34px;
  border: 1px solid transparent; border-bottom: 0; border-radius: 10px 10px 0 0; color: var(--soft);
}
.tabs li.shown { background: var(--bar); border-color: var(--line); color: var(--ink); margin-bottom: -1px; padding-bottom: 1px; }
.tabs .name { flex: 1; min-width: 0; height: 100%; padding: 0 4px 0 12px; text-align: left; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; line-height: 32px; }
.tabs .shut, .tabs .new { display: inline-grid; place-items: center; flex: none; width: 24px; height: 24px; margin-right: 5px; border-radius: 6px; color: var(--soft); }
.tabs .new { width: 28px; height: 28px; margin-bottom: 3px; }
.tabs .shut:hover, .tabs .new:hover { background: var(--bar-2); color: var(--ink); }
.tabs svg { width: 14px; height: 14px; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; }
.tabs :focus-visible { outline-offset: -2px; }
.tools { display: flex; align-items: center; gap: 4px; padding: 6px 8px; }
.address { flex: 1; min-width: 0; }
.address input {
  width: 100%; height: 34px; padding: 0 14px; border: 1px solid var(--line); border-radius: 17px; background: var(--bar-2);
  text-overflow: ellipsis;
}
.address input:focus { background: var(--bar); }
.tools .badge { padding: 0 8px; }
.stage { position: relative; flex: 1; min-height: 0; overflow: auto; display: grid; place-items: center; padding: 12px; }
.screen { position: relative; flex: none; line-height: 0; border-radius: 6px; box-shadow: 0 0 0 1px var(--line), 0 10px 34px var(--shade); background: #fff; overflow: hidden; }
.screen canvas { display: block; width: 100%; height: 100%; }
/* One finger sends input to the page; two fingers zoom and pan the view. */
.driving canvas { touch-action: pinch-zoom; }
.screen textarea {
  position: absolute; inset: 0 auto auto 0; width: 1px; height: 1px; padding: 0; border: 0; opacity: 0; resize: none;
  font-size: 16px; pointer-events: none;
}
.screen.keys { box-shadow: 0 0 0 2px var(--accent), 0 10px 34px var(--shade); }
.pointer { position: absolute; left: 0; top: 0; width: 20px; height: 20px; margin: -2px 0 0 -2px; pointer-events: none; transition: transform .09s linear; }
.cover { position: absolute; inset: 0; display: grid; place-items: center; padding: 16px; }
.cover.veil { background: color-mix(in srgb, var(--ground) 72%, transparent); }
.hint {
  position: fixed; left: 50%; bottom: 14px; translate: -50% 0; max-width: calc(100vw - 24px); padding: 7px 14px; border-radius: 18px;
  background: var(--ink); color: var(--bar); font-size: 13px; text-align: center; pointer-events: none;
}
kbd { font: inherit; font-weight: 650; }
#choices fieldset { margin: 12px 0 0; padding: 0; border: 0; max-height: 46vh; overflow: auto; }
#choices legend { padding: 0; }
#choices label { display: flex; gap: 10px; align-items: center; padding: 8px 10px; border-radius: 8px; }
#choices label:hover { background: var(--bar-2); }
#choices .group { padding: 10px 10px 4px; color: var(--soft); font-size: 12px; font-weight: 650; }
#ask-text, .field { width: 100%; height: 36px; margin-top: 12px; padding: 0 10px; border: 1px solid var(--line); border-radius: 8px; background: var(--bar-2); }
.field[type="file"] { height: auto; padding: 8px; }
.field[type="color"] { padding: 3px; }
@media (max-width: 640px) {
  .tools { flex-wrap: wrap; }
  .address { order: 9; flex-basis: 100%; }
  .address input { height: 40px; font-size: 16px; }
  .tools .badge { flex: 1; justify-content: flex-end; padding: 0 6px 0 0; }
  .tabs li { flex-basis: 150px; }
  .stage { padding: 6px; place-items: start center; }
}
@media (pointer: coarse) {
  .tabs .shut { width: 36px; height: 32px; margin-right: 0; }
  .tabs .new { width: 40px; height: 34px; }
  .tabs li { height: 40px; }
  .tabs .name { line-height: 38px; }
}
`;
