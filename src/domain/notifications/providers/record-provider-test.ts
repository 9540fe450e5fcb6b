import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import type { UserId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { ChangeProviderHealth } from '../health/change-provider-health.js';
import { afterTest, type ProviderHealth } from '../health/provider-health.js';
import type { ProviderRecord } from './notification-providers.store.js';
import type { Provider } from './provider.js';
import type { TestOutcome } from './send-test-message.js';

/** Writes down what came of a test. A provider that gets nothing for now, and takes it, is used again. */
@Injectable()
export class RecordProviderTest {
  constructor(
    private readonly events: EventsStore,
    private readonly changeHealth: ChangeProviderHealth,
  ) {}

  async execute(
    tx: Tx,
    { provider, details }: ProviderRecord,
    outcome: TestOutcome,
    actorId: UserId,
  ): Promise<void> {
    await this.events.append(tx, {
      orgId: null,
      aggregateType: 'notification_provider',
      aggregateId: provider.id,
      sequence: details?.sequence ?? '0',
      type: 'notification_provider.tested',
      actorId,
      data: { accepted: outcome.accepted, ...(outcome.accepted ? {} : { reason: outcome.reason }) },
    });
    if (outcome.accepted && outcome.unwell !== undefined)
      await this.resume(tx, provider, outcome.unwell, actorId);
  }

  private async resume(tx: Tx, provider: Provider, unwell: ProviderHealth, actorId: UserId): Promise<void> {
    const step = (health: ProviderHealth): ProviderHealth => afterTest(health, unwell);
    const turn = await this.changeHealth.take(tx, provider, step, actorId);
    if (turn !== undefined) this.changeHealth.report(provider, turn);
  }
}
