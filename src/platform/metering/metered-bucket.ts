import type { Meter } from "../../core/account/meter.ts";
import { overriding } from "./overriding.ts";

/**
 * Returns the bucket with a meter, which counts an operation when it starts: `put` and `list` are class A, `get` and
 * `head` are class B; R2 does not bill `delete`.
 */
export function meteredBucket(bucket: R2Bucket, meter: Meter): R2Bucket {
  const counted =
    <Args extends unknown[], Result>(counter: "r2Reads" | "r2Writes", run: (...args: Args) => Result) =>
    (...args: Args): Result => {
      meter.add(counter);
      return run(...args);
    };
  return overriding<R2Bucket>(bucket, {
    head: counted("r2Reads", bucket.head.bind(bucket)),
    // `get` and `put` are overloaded, hence the casts.
    get: counted("r2Reads", bucket.get.bind(bucket) as (...args: unknown[]) => unknown) as R2Bucket["get"],
    put: counted("r2Writes", bucket.put.bind(bucket) as (...args: unknown[]) => unknown) as R2Bucket["put"],
    list: counted("r2Writes", bucket.list.bind(bucket)),
    createMultipartUpload: counted("r2Writes", bucket.createMultipartUpload.bind(bucket)),
  });
}
