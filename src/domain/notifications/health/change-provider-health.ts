import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import type { UserId } from '../../shared/ids.js';
import { Log } from '../../shared/log.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { NotificationProvidersStore } from '../providers/notification-providers.store.js';
import type { Provider } from '../providers/provider.js';
import { hasOpened, type ProviderHealth } from './provider-health.js';

/** Changes that operators are notified of. */
interface HealthTurn {
  readonly type: 'resumed' | 'paused' | 'opened';
  readonly reason: string | undefined;
}

/** Changes the shared health state of a provider, and records an event when its circuit opens, it is paused, or it is used again. */
@Injectable()
export class ChangeProviderHealth {
  constructor(
    private readonly providers: NotificationProvidersStore,
    private readonly events: EventsStore,
    private readonly log: Log,
  ) {}

  /**
   * @param step   gives the health that it was given where nothing changes
   * @param actorId who brought it about; null for the service itself
   * @returns what `report` logs once the transaction is committed
   */
  async take(
    tx: Tx,
    { id, version, channel }: Provider,
    step: (health: ProviderHealth, now: Date) => ProviderHealth,
    actorId: UserId | null,
  ): Promise<HealthTurn | undefined> {
    const { health: before, now } = await this.providers.health.lock(tx, { id, version });
    const after = step(before, now);
    if (after === before) return undefined;
    const sequence = await this.providers.health.write(tx, { id, version }, after);
    const opened = hasOpened(before, after);
    const closed = before.openUntil !== undefined && after.openUntil === undefined;
    if (!opened && !closed) return undefined;
    const type = closed ? 'resumed' : after.paused ? 'paused' : 'opened';
    await this.events.append(tx, {
      orgId: null,
      aggregateType: 'notification_provider_health',
      aggregateId: id,
      sequence,
      type: `notification_provider.${type}`,
      actorId,
      data: { channel, reason: after.reason, until: after.openUntil?.toISOString() },
    });
    return { type, reason: after.reason };
  }

  report({ id, channel }: Provider, { type, reason }: HealthTurn): void {
    const about = { provider: id, channel, reason };
    if (type === 'resumed') this.log.info('a notification provider is back in use', about);
    else this.log.warn(`a notification provider is ${type}: messages wait`, about);
  }
}
