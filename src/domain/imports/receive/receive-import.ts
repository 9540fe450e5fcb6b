import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { crashPoint } from '../../shared/crash-point.js';
import { ApiError } from '../../shared/errors.js';
import type { OrgId } from '../../shared/ids.js';
import { CsvReader } from '../formats/csv.js';
import { DataOrgsReader, withOrgId, type DataOrgsRecord } from '../formats/data-orgs.js';
import { NdjsonReader } from '../formats/ndjson.js';
import { SourceError, unreadable, type SourceReader, type SourceRecord } from '../formats/source-record.js';
import { unpack, withoutMark, type SourceEncoding } from '../formats/unpack.js';
import type { ImportFailure, ImportFormat, ImportJob } from '../import-job.js';
import { keepMetadata } from '../records/metadata-item.js';
import { PASSES, type ImportPass } from '../records/passes.js';
import { FillImport, RENEW_LEASE_MS, type OpenImport } from './fill-import.js';
import { isOutOfSpace } from './import-space.js';
import { ChunkGatherer, type ReceivedRecord } from './received-record.js';

/** Token under which the configuration provides what receiving a file needs to know. */
export abstract class UploadSettings {
  /** Of a file as it is unpacked. */
  abstract readonly mostBytes: number;
}

export interface ImportSource {
  readonly body: Readable;
  readonly encoding: SourceEncoding;
  readonly format: ImportFormat;
}

/** What a file consists of, whatever its format. */
type Received = DataOrgsRecord;

/**
 * Receives a file as a stream: bytes are decompressed, split into records and stored in chunks, no faster
 * than the database accepts them. Only a complete file starts an import.
 */
@Injectable()
export class ReceiveImport {
  constructor(
    private readonly fill: FillImport,
    private readonly settings: UploadSettings,
  ) {}

  /**
   * @throws SourceError for a file that is cut off or cannot be read, ApiError aborted when the job was ended
   * meanwhile; the job has failed then, and nothing of it happens
   */
  async execute(open: OpenImport, source: ImportSource): Promise<ImportJob> {
    return await this.receive(open, source.body, readerOf(source.format), source.encoding);
  }

  /** The same for a reader that keeps what is no user for itself. */
  async receive(
    open: OpenImport,
    body: Readable,
    reader: SourceReader<Received>,
    encoding: SourceEncoding,
  ): Promise<ImportJob> {
    let arrived = 0;
    const renewal = setInterval(
      () => void this.fill.renewLease(open, arrived).catch(() => undefined),
      RENEW_LEASE_MS,
    );
    const count = (bytes: number): void => {
      arrived = bytes;
    };
    try {
      const chunks = new Chunks(this.fill, open);
      const file = new Measured(unpack(body, encoding, this.settings, count));
      for await (const piece of withoutMark(file.pieces())) await chunks.addAll(reader.write(piece));
      await chunks.addAll(reader.end());
      await chunks.finish();
      const measured = file.measured();
      if (measured.bytes === 0) throw unreadable('the file is empty');
      const job = await this.fill.complete(open, measured);
      crashPoint('import-after-accepted');
      return job;
    } catch (error) {
      // where even that cannot be written down, the lease of the job lapses
      await this.fill.fail(open, reasonOf(error)).catch(() => undefined);
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  /** What the whole of a file would be kept as; it is read and forgotten. @throws SourceError */
  async measure(
    { body, encoding }: ImportSource,
    reader?: SourceReader<unknown>,
  ): Promise<{ readonly bytes: number; readonly checksum: Buffer }> {
    const file = new Measured(unpack(body, encoding, this.settings));
    for await (const piece of withoutMark(file.pieces())) reader?.write(piece);
    return file.measured();
  }
}

/** Who is at fault, the sender or we: the sender of a file that we could not keep sends it again (security F45). */
function reasonOf(error: unknown): ImportFailure {
  if (error instanceof SourceError) return error.reason;
  if (isOutOfSpace(error)) return 'no_space';
  const isOurs = error instanceof ApiError && error.kind === 'unavailable';
  return isOurs ? 'source_unavailable' : 'source_incomplete';
}

class Measured {
  private readonly hash = createHash('sha256');
  private bytes = 0;

  constructor(private readonly source: AsyncIterable<Buffer>) {}

  async *pieces(): AsyncGenerator<Buffer> {
    for await (const piece of this.source) {
      this.bytes += piece.length;
      this.hash.update(piece);
      yield piece;
    }
  }

  measured(): { readonly bytes: number; readonly checksum: Buffer } {
    return { bytes: this.bytes, checksum: this.hash.digest() };
  }
}

/**
 * Records on their way into chunks. Those whose organization follows them in the file are collected separately: what
 * was already stored as a chunk gets its organization afterwards, the others get it before they are stored.
 */
class Chunks {
  private readonly known = new Gatherers();
  private readonly ahead = new Gatherers();
  private assignLater: number[] = [];
  private number = 0;

  constructor(
    private readonly fill: FillImport,
    private readonly open: OpenImport,
  ) {}

  async addAll(received: readonly Received[]): Promise<void> {
    for (const one of received) {
      if (one.kind === 'org') await this.name(one.orgId);
      else {
        const { pass, ...record } = one.record;
        await this.add(record, one.orgAhead, pass);
      }
    }
  }

  async finish(): Promise<void> {
    for (const gatherer of this.known.all()) {
      if (!gatherer.isEmpty) await this.append(gatherer.pass, gatherer.take());
    }
  }

  private async add(
    record: ReceivedRecord,
    orgAhead: boolean,
    pass: ImportPass = PASSES.users,
  ): Promise<void> {
    const full = (orgAhead ? this.ahead : this.known).of(pass).add(record);
    if (full === undefined) return;
    await this.append(pass, full);
    if (orgAhead) this.assignLater.push(this.number);
  }

  private async name(orgId: string | undefined): Promise<void> {
    for (const gatherer of this.ahead.all()) {
      for (const record of gatherer.take()) {
        const { json } = record;
        const named =
          json === undefined || orgId === undefined ? record : { ...record, json: withOrgId(json, orgId) };
        await this.add(named, false, gatherer.pass);
      }
    }
    if (orgId !== undefined) {
      await this.fill.assignOrganization(this.open, this.assignLater, orgId as OrgId);
    }
    this.assignLater = [];
  }

  private async append(pass: ImportPass, records: readonly ReceivedRecord[]): Promise<void> {
    this.number += 1;
    await this.fill.appendChunk(this.open, this.number, records, { pass });
  }
}

/** One for each pass that the file has something for. */
class Gatherers {
  private readonly byPass = new Map<ImportPass, ChunkGatherer>();

  of(pass: ImportPass): ChunkGatherer {
    const known = this.byPass.get(pass) ?? new ChunkGatherer(pass);
    this.byPass.set(pass, known);
    return known;
  }

  all(): readonly ChunkGatherer[] {
    return [...this.byPass.values()];
  }
}

function readerOf(format: ImportFormat): SourceReader<Received> {
  switch (format) {
    case 'json':
      return new DataOrgsReader(keepMetadata);
    case 'csv':
      return new InOneOrganization(new CsvReader());
    case 'ndjson':
      return new InOneOrganization(new NdjsonReader());
  }
}

/** Formats in which every record names its organization itself, or none. */
class InOneOrganization implements SourceReader<Received> {
  constructor(private readonly reader: SourceReader) {}

  write(piece: Buffer): readonly Received[] {
    return this.reader.write(piece).map(received);
  }

  end(): readonly Received[] {
    return this.reader.end().map(received);
  }
}

function received(record: SourceRecord): Received {
  return { kind: 'record', record, orgAhead: false };
}
