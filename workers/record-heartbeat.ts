import { hostname } from 'node:os';
import { Injectable } from '@nestjs/common';
import { HeartbeatsStore } from '../src/domain/maintenance/heartbeats.store.js';
import type { QueueName } from '../src/queues/job-contract.js';

/** What every queue does with its heartbeat job. */
@Injectable()
export class RecordHeartbeat {
  private readonly worker = `${hostname()}:${process.pid}`;

  constructor(private readonly heartbeats: HeartbeatsStore) {}

  async run(queue: QueueName): Promise<void> {
    await this.heartbeats.record(queue, this.worker);
  }
}
