import { Module } from '@nestjs/common';
import { FindQueues } from './find-queues.js';
import { RecordQueueAction } from './record-queue-action.js';
import { RemoveExpiredRows } from './remove-expired-rows.js';
import { RemoveOldEvents } from './remove-old-events.js';
import { RemoveUnusedRows } from './remove-unused-rows.js';
import { SweepStuckRows } from './sweep-stuck-rows.js';

const useCases = [
  RemoveExpiredRows,
  RemoveUnusedRows,
  RemoveOldEvents,
  SweepStuckRows,
  FindQueues,
  RecordQueueAction,
];

/** What is tidied up, and what was done to the queues by hand. */
@Module({ providers: useCases, exports: useCases })
export class MaintenanceModule {}
