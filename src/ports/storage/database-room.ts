/** How full the database is, as its last answers have told. */
export interface DatabaseRoom {
  /** Share of what the database holds that is used, from 0 to 1; 0 before the first answer. */
  readonly usedShare: number;
  /** True above 80 %: what can be left out is not stored, and long texts are stored elsewhere. */
  readonly isNearlyFull: boolean;
  /** Names what is left out and what the operator can do; undefined up to 80 %. */
  readonly warning: string | undefined;
}
