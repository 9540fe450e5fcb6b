import { CsvReader } from '../../domain/imports/formats/csv.js';
import { DataOrgsReader } from '../../domain/imports/formats/data-orgs.js';
import { NdjsonReader } from '../../domain/imports/formats/ndjson.js';
import { SourceError, type SourceRecord } from '../../domain/imports/formats/source-record.js';
import { readImportRecord } from '../../domain/imports/records/import-record.js';
import { dueMail } from '../../domain/imports/records/plan-human.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { FileFormat } from './upload-file.js';

/**
 * How many mails an import sends at most, by the rules of the import itself: to people whose address is not verified or
 * who have no password. Those who are there already may make it fewer. A file that is none of its format has no more of
 * them from there on: the service says what is wrong with it.
 */
export class MailCounter {
  mails = 0;
  private readonly reader: Reader;
  private isBroken = false;

  constructor(
    format: FileFormat,
    private readonly initialState: string | undefined,
  ) {
    this.reader = readerOf(format);
  }

  add(piece: Buffer): void {
    this.count(() => this.reader.write(piece));
  }

  end(): void {
    this.count(() => this.reader.end());
  }

  private count(read: () => readonly SourceRecord[]): void {
    if (this.isBroken) return;
    try {
      for (const { json } of read()) if (json !== undefined) this.mails += mailsOf(json, this.initialState);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      this.isBroken = true;
    }
  }
}

interface Reader {
  write(piece: Buffer): readonly SourceRecord[];
  end(): readonly SourceRecord[];
}

function readerOf(format: FileFormat): Reader {
  switch (format) {
    case 'ndjson':
      return new NdjsonReader();
    case 'csv':
      return new CsvReader();
    case 'dataorgs':
      return new People();
  }
}

/** The users of a dataOrgs document: what else stands there gets no mail. */
class People implements Reader {
  private readonly reader = new DataOrgsReader(() => []);

  write(piece: Buffer): readonly SourceRecord[] {
    return this.reader.write(piece).flatMap((one) => (one.kind === 'record' ? [one.record] : []));
  }

  end(): readonly SourceRecord[] {
    return this.reader.end().flatMap((one) => (one.kind === 'record' ? [one.record] : []));
  }
}

/** A record that the import refuses gets no mail. */
function mailsOf(json: string, initialState: string | undefined): number {
  try {
    const record = readImportRecord(JSON.parse(json), Date.now());
    const state = record.state ?? initialState;
    if (record.kind !== 'human' || state === 'inactive' || state === 'locked') return 0;
    const { email, password, identities } = record.human;
    // whether its passkeys work there is for the service to say: one mail too many is counted rather than one too few
    return (
      (dueMail(email.verified, password !== undefined || identities !== undefined) === undefined ? 0 : 1) +
      (email.pending === undefined ? 0 : 1)
    );
  } catch (error) {
    if (error instanceof ApiError || error instanceof SyntaxError) return 0;
    throw error;
  }
}
