import type { Command, OptionValues } from '@commander-js/extra-typings';
import type { ConvertedHuman, Note } from './converted-human.js';
import type { SourceRecord } from './reading/source-record.js';

/** Files are opened through this, so that `-` is standard input. */
export type OpenFile = (path: string) => AsyncIterable<Buffer>;

/** A vendor's export that `identity convert` reads. Adding one is a file with this shape and a line in the group. */
export interface Source<Known extends OptionValues = OptionValues> {
  readonly name: string;
  readonly summary: string;
  /** What is carried over and what is not, for `--help`. */
  readonly description: string;
  readonly options: Command<[], Known>;
  readonly examples: readonly string[];
  /** Whether its records can say which organization they belong to. */
  readonly namesOrganizations?: boolean;
  /** Reads what stands beside the users (hash parameters, a mapping, passwords) and gets ready; throws UsageError. */
  open(given: Known, open: OpenFile): Promise<Conversion>;
}

export interface Conversion {
  /** The records as the export has them, in its order. */
  records(): AsyncIterable<SourceRecord>;
  /** Throws Unconvertible or NotAPerson. Without I/O on the export itself. */
  convert(value: unknown, note: Note): ConvertedHuman;
  /** Whether optional fields that the import refuses cost the record: somebody said where each of them belongs. */
  readonly strict?: boolean;
  /** Whether administrators alone give user names there, so that one may be an address other than the user's own. */
  readonly givesUserNames?: boolean;
  /** Notes about the export as a whole, after it was read. */
  remarks?(): readonly string[];
  close?(): Promise<void>;
}

/** Forgets which options a source knows, so that a list can hold it. */
export function source<Known extends OptionValues>(definition: Source<Known>): Source {
  return definition;
}
