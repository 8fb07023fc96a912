const WIDTH = 300;
const HEIGHT = 80;

/** A bar chart of pages per second, newest at the right. */
export function SpeedChart({ counts, isRunning }: { counts: readonly number[]; isRunning: boolean }) {
  const most = Math.max(1, ...counts);
  const step = WIDTH / counts.length;
  const latest = counts.slice(-5);
  const now = latest.reduce((sum, count) => sum + count, 0) / Math.max(1, latest.length);
  const arrived = counts.reduce((sum, count) => sum + count, 0);
  const label = `Pages per second over the last 30 seconds: now ${now.toFixed(1)}, maximum ${most}`;
  return (
    <div>
      <h3>Pages per second {isRunning && <span class="faint">{now.toFixed(1)} now</span>}</h3>
      {arrived === 0 ? (
        <p class="faint">
          {isRunning ? "No pages in the last 30 seconds." : "No throughput data was recorded for this crawl."}
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
