import { Injectable } from '@nestjs/common';
import { MaintenanceStore } from './maintenance.store.js';
import { QueueDepths, type QueueDepth } from './queue-depths.js';

export interface QueueView extends QueueDepth {
  /** Since a worker last took a job from it; undefined where none ever has. */
  readonly heartbeatAgeMs?: number | undefined;
}

/** The queues as somebody sees them who looks after the instance: how full they are, and whether anybody works on them. */
@Injectable()
export class FindQueues {
  constructor(
    private readonly depths: QueueDepths,
    private readonly maintenance: MaintenanceStore,
  ) {}

  async execute(): Promise<readonly QueueView[]> {
    const [depths, heard] = await Promise.all([this.depths.read(), this.maintenance.listHeartbeats()]);
    const ages = new Map<string, number>(heard.map(({ queue, ageMs }) => [queue, ageMs]));
    return depths.map((depth) => ({ ...depth, heartbeatAgeMs: ages.get(depth.name) }));
  }
}
