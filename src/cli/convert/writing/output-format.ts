import type { ConvertedHuman } from '../converted-human.js';

/** A form in which converted humans are written. */
export interface OutputFormat {
  write(human: ConvertedHuman): Promise<void>;
  /** Writes what stands after the last one. */
  end(): Promise<void>;
  /** Gives back what it holds beside the output; after `end` or instead of it. */
  close(): Promise<void>;
}
