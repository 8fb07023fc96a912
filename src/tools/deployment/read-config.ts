import type { DeploymentNames } from "./deployment.ts";

/** As much of wrangler's configuration as a deployment looks at. */
export interface WorkerConfig {
  name?: string | undefined;
  d1_databases: { binding: string; database_name?: string }[];
  r2_buckets: { binding: string; bucket_name?: string | undefined }[];
  queues: {
    producers?: { binding: string; queue?: string }[] | undefined;
    consumers?: { queue: string; dead_letter_queue?: string | undefined }[] | undefined;
  };
  durable_objects: { bindings: { name: string; class_name: string }[] };
  triggers: { crons?: string[] | undefined };
}

/** @throws Error when a name is missing by which a resource is made. */
export function namesOf({ name, d1_databases, r2_buckets, queues }: WorkerConfig): DeploymentNames {
  const { producers = [], consumers = [] } = queues;
  const deadLetters = consumers.flatMap(({ dead_letter_queue }) => dead_letter_queue ?? []);
  const others = [...producers.flatMap(({ queue }) => queue ?? []), ...consumers.map(({ queue }) => queue)];
  return {
    worker: needed("name", name),
    database: needed("d1_databases.database_name", d1_databases[0]?.database_name),
    bucket: needed("r2_buckets.bucket_name", r2_buckets[0]?.bucket_name),
    queues: [...new Set([...deadLetters, ...others])],
  };
}

function needed(field: string, value: string | undefined): string {
  if (value === undefined || value === "") throw new Error(`wrangler.toml has no ${field}`);
  return value;
}

const MAX_CRONS_FREE = 5;

/** Returns the errors of a configuration as sentences; empty when it is valid. */
export function configProblems(
  config: WorkerConfig,
  { exportedClasses }: { exportedClasses: ReadonlySet<string> },
): string[] {
  const { queues, durable_objects, triggers } = config;
  const { producers = [], consumers = [] } = queues;
  const bound = new Set(producers.map(({ queue }) => queue));
  const consumed = new Set(consumers.map(({ queue }) => queue));
  return [
    ...consumers.flatMap(({ queue, dead_letter_queue }) =>
      dead_letter_queue === undefined && !queue.endsWith("dead-letters")
        ? [`Messages of ${queue} that fail for good are deleted: it has no dead_letter_queue.`]
        : [],
    ),
    ...consumers.flatMap(({ dead_letter_queue: letters }) =>
      letters !== undefined && !consumed.has(letters) ? [`Nobody looks at ${letters}: it has no consumer.`] : [],
    ),
    ...consumers.flatMap(({ queue }) =>
      bound.has(queue) ? [] : [`${queue} is consumed and has no producer binding.`],
    ),
    ...durable_objects.bindings.flatMap(({ name, class_name }) =>
      exportedClasses.has(class_name)
        ? []
        : [`${name} is bound to ${class_name}, which src/worker.ts does not export.`],
    ),
    ...((triggers.crons ?? []).length > MAX_CRONS_FREE ? ["The free plan has no more than five cron triggers."] : []),
  ];
}
