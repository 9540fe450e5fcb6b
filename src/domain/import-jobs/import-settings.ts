/** Token under which the configuration provides what this room needs to know. */
export abstract class ImportSettings {
  /** Jobs and what became of their records are kept for so long after the end. */
  abstract readonly retentionMs: number;
}
