import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import type { ResourceDetails } from '../../shared/details.js';
import { ApiError } from '../../shared/errors.js';
import type { ProviderId, UserId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import {
  NotificationProvidersStore,
  type ProviderPlan,
  type ProviderRecord,
  type ProviderState,
  type SecretChange,
} from './notification-providers.store.js';
import { ProviderHosts } from './provider-hosts.js';
import type { Provider } from './provider.js';

export function providerNotFound(): ApiError {
  return new ApiError('not-found', 'Provider could not be found', 'NOTIF-Pv3fn');
}

/** Who changes which provider. */
export interface ProviderChange {
  readonly id: ProviderId;
  readonly actorId: UserId;
}

/**
 * Providers are kept by instance administrators. One that was just created carries nothing until somebody activates
 * it, so that it can be tested first. A secret goes in and never comes out, and one that is stored goes nowhere but
 * where it was meant to: who points a provider at another server or account has to give the secret again.
 */
@Injectable()
export class ManageProviders {
  constructor(
    private readonly providers: NotificationProvidersStore,
    private readonly events: EventsStore,
    private readonly hosts: ProviderHosts,
  ) {}

  /** @throws ApiError not-found */
  async find(id: ProviderId): Promise<ProviderRecord> {
    const record = await this.providers.find(id);
    if (record === undefined) throw providerNotFound();
    return record;
  }

  async add(
    tx: Tx,
    plan: ProviderPlan,
    secret: string | undefined,
    actorId: UserId,
  ): Promise<{ readonly id: ProviderId; readonly details: ResourceDetails }> {
    this.requireAllowed(plan);
    requireSecret(plan, secret !== undefined);
    const added = await this.providers.add(tx, plan, secret);
    const { kind, channel } = plan;
    await this.record(tx, 'added', { id: added.id, actorId }, added.details, { data: { kind, channel } });
    return added;
  }

  /** Replaces everything but the secret, which stays as it is where none is given. */
  async replace(
    tx: Tx,
    change: ProviderChange,
    plan: ProviderPlan,
    secret: string | undefined,
  ): Promise<ResourceDetails> {
    this.requireAllowed(plan);
    const { provider } = await this.lockForUpdate(tx, change.id);
    if (plan.kind !== provider.kind || plan.channel !== provider.channel) {
      throw new ApiError('invalid-argument', 'kind and channel of a provider cannot be changed');
    }
    const secretChange = secretOf(provider, plan, secret);
    const details = await this.providers.replace(tx, change.id, plan, secretChange);
    if (details === undefined) throw providerNotFound();
    const fields = [...differences(provider, plan), ...(secretChange === 'keep' ? [] : ['secret'])].sort();
    await this.record(tx, 'changed', change, details, { fields });
    return details;
  }

  async setState(tx: Tx, change: ProviderChange, state: ProviderState): Promise<ResourceDetails> {
    await this.lockForUpdate(tx, change.id);
    const details = await this.providers.setState(tx, change.id, state);
    if (details === undefined) {
      throw new ApiError('failed-precondition', `Provider is ${state} already`, 'NOTIF-Pv8st');
    }
    await this.record(tx, state === 'active' ? 'activated' : 'deactivated', change, details);
    return details;
  }

  async remove(tx: Tx, change: ProviderChange): Promise<ResourceDetails> {
    await this.lockForUpdate(tx, change.id);
    const details = await this.providers.remove(tx, change.id);
    if (details === undefined) throw providerNotFound();
    await this.record(tx, 'removed', change, details);
    return details;
  }

  private async lockForUpdate(tx: Tx, id: ProviderId): Promise<ProviderRecord> {
    const record = await this.providers.lockForUpdate(tx, id);
    if (record !== undefined) return record;
    await this.find(id);
    throw new ApiError('failed-precondition', 'Provider is set in the configuration', 'NOTIF-Pv1cf');
  }

  private requireAllowed(plan: ProviderPlan): void {
    if (plan.kind === 'smtp') refuse('host', this.hosts.problemWithHost(plan.settings.host));
    if (plan.kind === 'http') refuse('url', this.hosts.problemWithUrl(plan.settings.url));
  }

  private async record(
    tx: Tx,
    what: 'added' | 'changed' | 'activated' | 'deactivated' | 'removed',
    { id, actorId }: ProviderChange,
    { sequence }: ResourceDetails,
    more: { fields?: readonly string[]; data?: Readonly<Record<string, string>> } = {},
  ): Promise<void> {
    await this.events.append(tx, {
      orgId: null,
      aggregateType: 'notification_provider',
      aggregateId: id,
      sequence,
      type: `notification_provider.${what}`,
      actorId,
      ...more,
    });
  }
}

function refuse(field: string, problem: string | undefined): void {
  if (problem !== undefined) throw new ApiError('invalid-argument', `${field} ${problem}`);
}

const SECRET_FIELDS = {
  smtp: 'password',
  twilio_messages: 'authToken',
  twilio_verify: 'authToken',
  http: 'signingKey',
} as const;

/** Only a mail server may go without. */
function needsSecret(plan: ProviderPlan): boolean {
  return plan.kind !== 'smtp' || plan.settings.user !== undefined;
}

function requireSecret(plan: ProviderPlan, given: boolean): void {
  const field = SECRET_FIELDS[plan.kind];
  if (needsSecret(plan) && !given) throw new ApiError('invalid-argument', `${field} is required`);
  if (!needsSecret(plan) && given) throw new ApiError('invalid-argument', `${field} needs a user`);
}

function secretOf(before: Provider, plan: ProviderPlan, given: string | undefined): SecretChange {
  if (!needsSecret(plan) || given !== undefined) {
    requireSecret(plan, given !== undefined);
    return given === undefined ? 'none' : { set: given };
  }
  if (destination(before) === destination(plan)) return 'keep';
  const field = SECRET_FIELDS[plan.kind];
  throw new ApiError('invalid-argument', `${field} must be given again, because it would go elsewhere`);
}

/** Where the secret goes, and how well it is covered on its way. */
function destination(provider: ProviderPlan): string {
  switch (provider.kind) {
    case 'smtp': {
      const { host, port, user, tls } = provider.settings;
      return JSON.stringify([host, port, user, tls]);
    }
    case 'twilio_messages':
    case 'twilio_verify':
      return provider.settings.accountSid;
    case 'http':
      return provider.settings.url;
  }
}

/** Names of the fields that change, those of the kind's own settings among them. */
function differences(before: Provider, after: ProviderPlan): string[] {
  const earlier: Readonly<Record<string, unknown>> = { ...before, ...before.settings };
  const later: Readonly<Record<string, unknown>> = { ...after, ...after.settings };
  const names = new Set([...Object.keys(earlier), ...Object.keys(later)]);
  for (const name of ['id', 'version', 'settings']) names.delete(name);
  return [...names].filter((name) => earlier[name] !== later[name]);
}
