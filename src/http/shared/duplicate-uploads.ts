import { Injectable } from '@nestjs/common';
import { keyOfAnotherRequest } from '../../domain/idempotency/idempotency-key.js';
import type { SourceReader } from '../../domain/imports/formats/source-record.js';
import type { ImportJob, ImportOptions } from '../../domain/imports/import-job.js';
import { ReceiveImport, type ImportSource } from '../../domain/imports/receive/receive-import.js';

/** A file whose Idempotency-Key was sent before: the same key is the same import, and must be the same file. */
@Injectable()
export class DuplicateUploads {
  constructor(private readonly receive: ReceiveImport) {}

  /**
   * Reads the file to its end: only then duplicates are known.
   *
   * @param reader is given the pieces, where something of them is still wanted
   * @throws ApiError unprocessable
   */
  async check(
    job: ImportJob,
    options: ImportOptions,
    source: ImportSource,
    reader?: SourceReader<unknown>,
  ): Promise<ImportJob> {
    const { checksum } = await this.receive.measure(source, reader);
    const sameFile = job.checksum === undefined || job.checksum === checksum.toString('hex');
    if (sameFile && sameOptions(job, options)) return job;
    throw keyOfAnotherRequest();
  }
}

function sameOptions(one: ImportOptions, other: ImportOptions): boolean {
  return (
    one.format === other.format &&
    one.mode === other.mode &&
    one.dryRun === other.dryRun &&
    one.notify === other.notify &&
    one.initialState === other.initialState &&
    one.updatePasswords === other.updatePasswords &&
    one.fileName === other.fileName
  );
}
