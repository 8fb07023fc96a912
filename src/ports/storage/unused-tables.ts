/** Tables of the database that an earlier release has made, and that nothing reads any more. */
export interface UnusedTables {
  /**
   * Deletes up to `limit` of their rows, in statements that are far below the time that one may take, and drops tables that
   * are empty. May be repeated.
   * @returns true when there is more to delete.
   */
  purge(limit: number): Promise<boolean>;
}
