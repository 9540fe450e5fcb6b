import { hostname } from 'node:os';
import { Injectable } from '@nestjs/common';
import { HeartbeatsStore } from '../src/domain/maintenance/heartbeats.store.js';
import type { BullQueueName } from '../src/queues/job-contract.js';

/** What every queue does with its heartbeat job. */
@Injectable()
export class RecordHeartbeat {
  private readonly worker = `${hostname()}:${process.pid}`;

  constructor(private readonly heartbeats: HeartbeatsStore) {}

  async run(queue: BullQueueName): Promise<void> {
    await this.heartbeats.record(queue, this.worker);
  }
}
