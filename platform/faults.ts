/** What goes wrong in the process as a whole, for the metrics. */
export interface Faults {
  /** Errors that nobody caught. */
  uncaught: number;
  /** Log lines that were dropped, since nobody took them. */
  lostLines: number;
  /** Audit lines that neither the disk nor the memory had room for. */
  lostAuditLines: number;
}
