import { hostname } from 'node:os';
import { Injectable } from '@nestjs/common';
import { MaintenanceStore } from '../src/domain/maintenance/maintenance.store.js';
import type { BullQueueName } from '../src/queues/job-contract.js';

/** What every queue does with its heartbeat job. */
@Injectable()
export class RecordHeartbeat {
  private readonly worker = `${hostname()}:${process.pid}`;

  constructor(private readonly maintenance: MaintenanceStore) {}

  async run(queue: BullQueueName): Promise<void> {
    await this.maintenance.recordHeartbeat(queue, this.worker);
  }
}
