const WIDTH = 300;
const HEIGHT = 80;

/** Bars of the pages of each of the last seconds, the newest at the right. */
export function SpeedChart({ counts, isRunning }: { counts: readonly number[]; isRunning: boolean }) {
  const most = Math.max(1, ...counts);
  const step = WIDTH / counts.length;
  const latest = counts.slice(-5);
  const now = latest.reduce((sum, count) => sum + count, 0) / Math.max(1, latest.length);
  const arrived = counts.reduce((sum, count) => sum + count, 0);
  const label = `Pages each second of the last half minute: now ${now.toFixed(1)}, at most ${most}`;
  return (
    <div>
      <h3>Pages each second {isRunning && <span class="faint">{now.toFixed(1)} now</span>}</h3>
      {arrived === 0 ? (
        <p class="faint">
          {isRunning ? "No page came in the last half minute." : "It ended before you came to watch."}
        </p>
      ) : (
        <svg class="speed" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
          {counts.map((count, at) => {
            const height = (count / most) * HEIGHT;
            return <rect key={at} x={at * step} y={HEIGHT - height} width={step * 0.8} height={height} rx={1} />;
          })}
        </svg>
      )}
    </div>
  );
}
