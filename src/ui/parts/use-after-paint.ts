import { useEffect, useRef, useState } from "preact/hooks";

/**
 * Computes a value that takes long after the next paint, so that a press shows its effect first. Returns the earlier value
 * until then; undefined at first.
 */
export function useAfterPaint<Value>(compute: () => Value, inputs: readonly unknown[]): Value | undefined {
  const [value, setValue] = useState<Value>();
  const latest = useRef(compute);
  latest.current = compute;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => setValue(() => latest.current()));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [...inputs]);
  return value;
}
