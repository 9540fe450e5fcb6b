import { z } from 'zod';
import {
  FOLLOW_IMPORT,
  IMPORT_CHUNK,
  NOTIFY_IMPORT_CHUNK,
  UNDO_IMPORT_CHUNK,
} from '../domain/imports/queue-imports.js';
import { HOURS_OF_TRIES, outboxId, subjectId, type JobContract } from './job-contract.js';

const chunkPayload = z.object({ jobId: subjectId, number: z.number().int().min(0), outboxId });

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
  options: HOURS_OF_TRIES,
};

/** A look at one import every second, that nothing of it got lost. */
export const followImportJob: JobContract<{ jobId: string; outboxId: string }> = {
  queue: 'imports',
  name: FOLLOW_IMPORT,
  version: 1,
  payload: z.object({ jobId: subjectId, outboxId }),
  options: HOURS_OF_TRIES,
};

/** Takes the users of one chunk out again. */
export const undoImportChunkJob: JobContract<ImportChunkPayload> = {
  queue: 'imports',
  name: UNDO_IMPORT_CHUNK,
  version: 1,
  payload: chunkPayload,
  options: HOURS_OF_TRIES,
};

/** Enqueues the messages of one chunk's users. */
export const notifyImportChunkJob: JobContract<ImportChunkPayload> = {
  queue: 'imports',
  name: NOTIFY_IMPORT_CHUNK,
  version: 1,
  payload: chunkPayload,
  options: HOURS_OF_TRIES,
};
