/** Monitors of a team, and the bytes of their configurations together: all teams share one database of 10 GB. */
export const MOST_MONITORS = { count: 1_000, configBytes: 20_000_000 } as const;

/** Bytes of a configuration that is stored while the database is nearly full. */
export const MAX_CONFIG_BYTES_OF_FULL = 10_000;

/** Bytes of the checks of a team's monitors; of more, the oldest checks of the monitor with the most are deleted. */
export const MAX_CHECKS_BYTES = 500_000_000;
