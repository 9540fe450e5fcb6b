import { closeSync, openSync, readSync } from 'node:fs';
import { LONGEST_RECORD } from '../../../domain/imports/formats/source-record.js';
import { readFailure } from '../../files/bytes-of.js';
import { OperationFailed, UsageError } from '../../shell/exit.js';
import { asList, asObject, asText, type JsonObject } from '../values.js';
import { linesOf } from './lines.js';
import { OffsetTable } from './offset-table.js';

const FIRST_READ = 4096;

/**
 * The password hashes that Auth0's support exports: NDJSON in an order of its own, so that each user's line must be
 * found. Only where the lines stand is held in memory; the line itself is read when its user comes.
 */
export class Auth0Passwords {
  private readonly ids = new OffsetTable();
  private readonly emails = new OffsetTable();
  private readonly file: number;

  private constructor(private readonly path: string) {
    if (path === '-') throw new UsageError('--passwords must be a file: it is read more than once');
    try {
      this.file = openSync(path, 'r');
    } catch (error) {
      throw readFailure(path, error);
    }
    if (this.bytesAt(0, 2).equals(Buffer.from([0x1f, 0x8b]))) {
      throw new UsageError('--passwords must be unpacked first: lines of it are read out of order');
    }
  }

  static async open(path: string, chunks: AsyncIterable<Buffer>): Promise<Auth0Passwords> {
    const passwords = new Auth0Passwords(path);
    let entries = 0;
    for await (const { bytes, offset } of linesOf(chunks)) {
      const entry = bytes && entryOf(bytes);
      if (entry === undefined) continue;
      entries += 1;
      const id = idOf(entry);
      if (id !== undefined) passwords.ids.add(id, offset);
      for (const email of emailsOf(entry)) passwords.emails.add(email, offset);
    }
    if (entries === 0) throw new OperationFailed(`${path} has no password hash in it`);
    return passwords;
  }

  /** By the id after `auth0|`; with several connections their name may stand before it. */
  byId(id: string): string | undefined {
    const [hash] = this.hashes(this.ids, id, (entry) => idOf(entry) === id);
    return hash;
  }

  /**
   * Every hash of the address: of several it is unknown whose they are. For a user with an id only entries without
   * one count: any other is somebody else's, of another connection.
   */
  byEmail(email: string, userHasId: boolean): readonly string[] {
    const key = email.toLowerCase();
    return this.hashes(
      this.emails,
      key,
      (entry) => emailsOf(entry).has(key) && !(userHasId && idOf(entry) !== undefined),
    );
  }

  close(): void {
    closeSync(this.file);
  }

  private hashes(table: OffsetTable, key: string, belongs: (entry: JsonObject) => boolean): string[] {
    const hashes: string[] = [];
    for (const offset of table.candidates(key)) {
      const entry = entryOf(this.lineAt(offset));
      const hash = asText(entry?.['passwordHash']);
      if (entry !== undefined && hash !== undefined && belongs(entry)) hashes.push(hash);
    }
    return hashes;
  }

  private lineAt(offset: number): Buffer {
    for (let length = FIRST_READ; ; length *= 4) {
      const bytes = this.bytesAt(offset, length);
      const end = bytes.indexOf('\n');
      if (end !== -1) return bytes.subarray(0, end);
      if (bytes.length < length || length > LONGEST_RECORD) return bytes;
    }
  }

  private bytesAt(offset: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    try {
      return bytes.subarray(0, readSync(this.file, bytes, 0, length, offset));
    } catch (error) {
      throw readFailure(this.path, error);
    }
  }
}

function entryOf(line: Buffer): JsonObject | undefined {
  try {
    const entry = asObject(JSON.parse(line.toString('utf8').replace(/^\uFEFF/, '')));
    return asText(entry?.['passwordHash']) === undefined ? undefined : entry;
  } catch {
    return undefined;
  }
}

/** What stands in the user's id: `alt_id` where the customer chose ids, else the id of the document. */
function idOf(entry: JsonObject): string | undefined {
  return asText(entry['alt_id']) ?? asText(asObject(entry['_id'])?.['$oid']) ?? asText(entry['_id']);
}

function emailsOf(entry: JsonObject): Set<string> {
  const identifiers = asList(entry['identifiers'])
    .map(asObject)
    .filter((identifier) => identifier?.['type'] === 'email')
    .map((identifier) => asText(identifier?.['value']));
  const given = [asText(entry['email']), ...identifiers].filter((email) => email !== undefined);
  return new Set(given.map((email) => email.toLowerCase()));
}
