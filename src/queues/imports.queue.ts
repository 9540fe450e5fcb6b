import { z } from 'zod';
import {
  FOLLOW_IMPORT,
  IMPORT_CHUNK,
  NOTIFY_IMPORT_CHUNK,
  UNDO_IMPORT_CHUNK,
} from '../domain/imports/queue-imports.js';
import { KEEP_FINISHED, RETRY_WITH_CEILING, type JobContract } from './job-contract.js';

const jobId = z.string().min(1).max(200);
const outboxId = z.string().regex(/^[0-9]{1,19}$/);
const chunkPayload = z.object({ jobId, number: z.number().int().min(0), outboxId });
/** Tries last for hours; after that the outbox brings the job back for as long as the work is due. */
const options = { ...KEEP_FINISHED, attempts: 20, backoff: RETRY_WITH_CEILING } as const;

export interface ImportChunkPayload {
  readonly jobId: string;
  readonly number: number;
  readonly outboxId: string;
}

/** Writes up to a thousand users in one transaction. */
export const importChunkJob: JobContract<ImportChunkPayload> = {
  queue: 'imports',
  name: IMPORT_CHUNK,
  version: 1,
  payload: chunkPayload,
  options,
};

/** A look at one import every second, that nothing of it got lost. */
export const followImportJob: JobContract<{ jobId: string; outboxId: string }> = {
  queue: 'imports',
  name: FOLLOW_IMPORT,
  version: 1,
  payload: z.object({ jobId, outboxId }),
  options,
};

/** Takes the users of one chunk out again. */
export const undoImportChunkJob: JobContract<ImportChunkPayload> = {
  queue: 'imports',
  name: UNDO_IMPORT_CHUNK,
  version: 1,
  payload: chunkPayload,
  options,
};

/** Enqueues the messages of one chunk's users. */
export const notifyImportChunkJob: JobContract<ImportChunkPayload> = {
  queue: 'imports',
  name: NOTIFY_IMPORT_CHUNK,
  version: 1,
  payload: chunkPayload,
  options,
};
