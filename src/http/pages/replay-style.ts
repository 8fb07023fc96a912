/** Styles of the replay page, in addition to `PAGE_STYLE`. */
export const REPLAY_STYLE = `
.head { flex: none; display: flex; align-items: center; gap: 12px; padding: 8px 10px 8px 18px; background: var(--bar); border-bottom: 1px solid var(--line); }
.head h1 { margin: 0; font-size: 15px; font-weight: 650; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 45%; }
.where { flex: 1; min-width: 0; margin: 0; color: var(--soft); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.body { flex: 1; min-height: 0; display: flex; }
.stage { position: relative; flex: 1; min-width: 0; min-height: 0; display: grid; place-items: center; padding: 14px; overflow: hidden; }
.stage canvas { border-radius: 6px; background: #fff; box-shadow: 0 0 0 1px var(--line), 0 10px 34px var(--shade); }
.cover { position: absolute; inset: 0; display: grid; place-items: center; padding: 16px; }
.network { flex: none; width: min(400px, 42vw); display: flex; flex-direction: column; background: var(--bar); border-left: 1px solid var(--line); }
.filter { display: flex; gap: 8px; padding: 8px; border-bottom: 1px solid var(--line); }
.filter input { flex: 1; min-width: 0; height: 34px; padding: 0 12px; border: 1px solid var(--line); border-radius: 17px; background: var(--bar-2); }
.filter a { display: inline-flex; align-items: center; padding: 0 14px; border: 1px solid var(--line); border-radius: 8px; color: inherit; text-decoration: none; }
.network ol { flex: 1; margin: 0; padding: 0; list-style: none; overflow: auto; font-size: 12.5px; }
.network li { border-bottom: 1px solid color-mix(in srgb, var(--line) 50%, transparent); }
.network li button { display: grid; grid-template-columns: 46px 40px 1fr auto; gap: 8px; width: 100%; padding: 6px 10px; text-align: left; border-radius: 0; align-items: baseline; }
.network li button:hover { background: var(--bar-2); }
.network li.now button { background: color-mix(in srgb, var(--accent) 11%, transparent); }
.network :focus-visible { outline-offset: -2px; }
.network .at, .network .took { color: var(--soft); font-variant-numeric: tabular-nums; }
.network .name { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.network .status { font-variant-numeric: tabular-nums; color: var(--good); } .network .status.bad { color: var(--bad); } .network .status.warn { color: var(--warn); }
.network li.later .name, .network li.later .status { color: var(--soft); }
.none { margin: 0; padding: 18px; color: var(--soft); text-align: center; }
.controls { flex: none; padding: 10px 18px 10px; background: var(--bar); border-top: 1px solid var(--line); }
.line { position: relative; }
.marks { position: absolute; inset: 8px 0; height: 4px; pointer-events: none; border-radius: 2px; background: var(--line); overflow: hidden; }
.marks i { position: absolute; top: 0; bottom: 0; border-left: 2px solid var(--bar); background: var(--soft); opacity: .55; }
.marks b { position: absolute; left: 0; top: 0; bottom: 0; background: var(--accent); }
#seek { position: relative; display: block; width: 100%; height: 20px; margin: 0; appearance: none; background: none; cursor: pointer; }
#seek::-webkit-slider-runnable-track { height: 4px; } #seek::-moz-range-track { height: 4px; background: none; }
#seek::-webkit-slider-thumb { appearance: none; width: 14px; height: 14px; margin-top: -5px; border-radius: 50%; background: var(--accent); border: 2px solid var(--bar); box-shadow: 0 0 0 1px var(--accent); }
#seek::-moz-range-thumb { width: 12px; height: 12px; border-radius: 50%; background: var(--accent); border: 2px solid var(--bar); }
.buttons { display: flex; align-items: center; gap: 4px; padding-top: 4px; }
.buttons .play { color: var(--accent); }
.buttons output { flex: 1; padding-left: 8px; color: var(--soft); font-variant-numeric: tabular-nums; }
.speed select { height: 34px; padding: 0 8px; border: 1px solid var(--line); border-radius: 8px; background: var(--bar-2); color: inherit; font: inherit; }
@media (max-width: 760px) {
  .body { flex-direction: column; }
  .stage { flex: none; height: min(52vh, calc(64vw + 16px)); padding: 8px; }
  .network { flex: 1; width: auto; min-height: 0; border-left: 0; border-top: 1px solid var(--line); }
  .where { display: none; }
  .head h1 { flex: 1; max-width: none; }
  .controls { padding: 8px 12px; }
}
`;
