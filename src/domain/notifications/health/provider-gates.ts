import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { ProviderId } from '../../shared/ids.js';
import { UnitOfWork } from '../../shared/unit-of-work.js';
import type { ChannelError } from '../channels.js';
import { NOTIFICATION_CHANNELS, type NotificationChannel } from '../notifications.store.js';
import { NotificationProvidersStore, type KnownHealth } from '../providers/notification-providers.store.js';
import type { Provider } from '../providers/provider.js';
import { ChangeProviderHealth } from './change-provider-health.js';
import {
  afterFailure,
  afterSuccess,
  blamesProvider,
  isHealthy,
  type ProviderHealth,
} from './provider-health.js';
import { Slots, type Leave } from './slots.js';

const REMEMBER_MS = 1_000;
/** A job that waits in here holds its claim and its place in the worker; so not for long. */
const PATIENCE_MS = 5_000;
/** Longer than a send can take. */
const PROBE_MS = 40_000;
const URGENT_PROBE_MS = 2_000;
/** What nobody waits for takes no turn that comes later, so that what somebody waits for finds one. */
const HORIZON_MS = { urgent: PATIENCE_MS, patient: 250 };
const ASK_AGAIN_MS = 250;
const NO_SLOT_WAIT_MS = 1_000;

export type Admission =
  { readonly kind: 'admitted'; readonly leave: Leave } | { readonly kind: 'closed'; readonly waitMs: number };

interface OpenChannels {
  readonly open: readonly NotificationChannel[];
  /** Of those that have providers and are not open: when to look again. */
  readonly waitMs: Readonly<Partial<Record<NotificationChannel, number>>>;
}

/**
 * Whether a message may go to a provider now: its breaker, its rate, its connections. Breaker and rate are shared by
 * all workers through Postgres; connections are each worker's own.
 */
@Injectable()
export class ProviderGates {
  private readonly slots = new Map<ProviderId, Slots>();
  private remembered: { readonly at: number; readonly health: Promise<readonly KnownHealth[]> } | undefined;

  constructor(
    private readonly providers: NotificationProvidersStore,
    private readonly unitOfWork: UnitOfWork,
    private readonly changeHealth: ChangeProviderHealth,
  ) {}

  /** By which channels a message could leave at all, asked before one is claimed. */
  async openChannels(urgent: boolean): Promise<OpenChannels> {
    const open: NotificationChannel[] = [];
    const waitMs: Partial<Record<NotificationChannel, number>> = {};
    for (const channel of NOTIFICATION_CHANNELS) {
      const providers = await this.providers.usable(channel);
      if (providers.length === 0) continue;
      const waits = await Promise.all(providers.map((provider) => this.waitFor(provider, urgent)));
      const least = Math.min(...waits);
      if (least <= 0) open.push(channel);
      else waitMs[channel] = least;
    }
    return { open, waitMs };
  }

  /** Waits for a few seconds at most. Whoever is admitted leaves again, whatever comes of it. */
  async enter(provider: Provider, urgent: boolean): Promise<Admission> {
    const waitMs = await this.waitFor(provider, urgent);
    if (waitMs > 0) return { kind: 'closed', waitMs };
    const slots = this.slotsOf(provider);
    const leave = await slots.take(urgent, PATIENCE_MS);
    if (leave === undefined) return { kind: 'closed', waitMs: NO_SLOT_WAIT_MS };
    try {
      const refusal = (await this.mayProbe(provider, urgent)) ?? (await this.awaitTurn(provider, urgent));
      if (refusal === undefined) return { kind: 'admitted', leave };
      leave();
      return { kind: 'closed', waitMs: refusal };
    } catch (error) {
      leave();
      throw error;
    }
  }

  async succeeded(provider: Provider): Promise<void> {
    const known = await this.known(provider);
    if (known === undefined || isHealthy(known)) return;
    await this.change(provider, (health, now) => afterSuccess(health, now));
  }

  async failed(provider: Provider, error: ChannelError): Promise<void> {
    if (blamesProvider(error)) await this.change(provider, (health, now) => afterFailure(health, error, now));
  }

  private async change(
    provider: Provider,
    step: (health: ProviderHealth, now: Date) => ProviderHealth,
  ): Promise<void> {
    const turn = await this.unitOfWork.run((tx) => this.changeHealth.take(tx, provider, step, null));
    this.remembered = undefined;
    if (turn !== undefined) this.changeHealth.report(provider, turn);
  }

  /** @returns 0 when a message may try to enter */
  private async waitFor(provider: Provider, urgent: boolean): Promise<number> {
    const known = await this.known(provider);
    if (known === undefined || known.openUntil === undefined) return 0;
    return urgent && !known.paused ? 0 : known.waitMs;
  }

  /** @returns how long to wait when somebody else probes already */
  private async mayProbe(provider: Provider, urgent: boolean): Promise<number | undefined> {
    const known = await this.known(provider);
    if (known?.openUntil === undefined) return undefined;
    const holdMs = urgent ? URGENT_PROBE_MS : PROBE_MS;
    return (await this.providers.health.takeProbe(provider, urgent, holdMs)) ? undefined : URGENT_PROBE_MS;
  }

  private async awaitTurn(provider: Provider, urgent: boolean): Promise<number | undefined> {
    const { ratePerSecond } = provider;
    if (ratePerSecond === null) return undefined;
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const horizonMs = HORIZON_MS[urgent ? 'urgent' : 'patient'];
      const waitMs = await this.providers.health.takeTurn(provider, ratePerSecond, horizonMs);
      if (waitMs !== undefined) {
        if (waitMs > 0) await sleep(waitMs);
        return undefined;
      }
      if (performance.now() >= until) return NO_SLOT_WAIT_MS;
      await sleep(ASK_AGAIN_MS * (0.5 + Math.random()));
    }
  }

  private slotsOf({ id, connections }: Provider): Slots {
    let slots = this.slots.get(id);
    if (slots === undefined) this.slots.set(id, (slots = new Slots()));
    slots.capacity = Math.max(1, connections);
    return slots;
  }

  /** As it was a second ago at most. */
  private async known({ id, version }: Provider): Promise<KnownHealth | undefined> {
    const at = performance.now();
    if (this.remembered === undefined || at - this.remembered.at > REMEMBER_MS) {
      this.remembered = { at, health: this.providers.health.list() };
      this.remembered.health.catch(() => (this.remembered = undefined));
    }
    const all = await this.remembered.health;
    return all.find((health) => health.id === id && health.version === version);
  }
}
