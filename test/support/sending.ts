import { readConfig } from '../../src/config/config.js';
import { EventsStore } from '../../src/domain/events/events.store.js';
import type { SmsLimitSettings } from '../../src/domain/notifications/abuse/sms-limit-settings.js';
import { SmsPrefixes } from '../../src/domain/notifications/abuse/sms-prefixes.js';
import type { Accepted, MailMessage, SmsMessage } from '../../src/domain/notifications/channels.js';
import { ComposeMessages } from '../../src/domain/notifications/compose-messages.js';
import { HandOver } from '../../src/domain/notifications/hand-over.js';
import { ChangeProviderHealth } from '../../src/domain/notifications/health/change-provider-health.js';
import { ProviderGates } from '../../src/domain/notifications/health/provider-gates.js';
import type {
  NotificationChannel,
  NotificationsStore,
} from '../../src/domain/notifications/notifications.store.js';
import {
  NotificationProvidersStore,
  type SharedHealth,
} from '../../src/domain/notifications/providers/notification-providers.store.js';
import { ProviderChannels } from '../../src/domain/notifications/providers/provider-channels.js';
import type { Provider } from '../../src/domain/notifications/providers/provider.js';
import { SendByProvider } from '../../src/domain/notifications/send-by-provider.js';
import { SendNotification } from '../../src/domain/notifications/send-notification.js';
import { ClaimAndDeliver } from '../../src/domain/outbox/claim-and-deliver.js';
import type { OutboxStore } from '../../src/domain/outbox/outbox.store.js';
import { SharedClock } from '../../src/domain/shared/clock.js';
import type { ProviderId } from '../../src/domain/shared/ids.js';
import { Log } from '../../src/domain/shared/log.js';
import type { UnitOfWork } from '../../src/domain/shared/unit-of-work.js';
import { Counters } from '../../src/domain/statistics/counters.js';
import { MailRenderer } from '../../src/mails/mail-renderer.js';

const COMMON = { priority: 1, ratePerSecond: null, connections: 8, version: '1' };

export function smtpProvider(
  name: string,
  differences: { ratePerSecond?: number; connections?: number; version?: string } = {},
): Provider {
  const settings = { host: 'mail.test', port: 25, tls: 'none', from: 'id@id.test' } as const;
  return {
    ...COMMON,
    id: name as ProviderId,
    name,
    kind: 'smtp',
    channel: 'email',
    settings,
    ...differences,
  };
}

export function smsProvider(
  name: string,
  kind: 'twilio_messages' | 'twilio_verify' = 'twilio_messages',
): Provider {
  const common = { ...COMMON, id: name as ProviderId, name, channel: 'sms' } as const;
  const accountSid = 'AC0';
  return kind === 'twilio_verify'
    ? { ...common, kind, settings: { accountSid, verifyServiceSid: 'VA0' } }
    : { ...common, kind, settings: { accountSid, from: '+15005550006' } };
}

/** Of a contract, what a test has no use for. */
export const notAskedFor = (): Promise<never> => Promise.reject(new Error('not asked for'));

/** Providers of a test, all in use; nobody looks at them otherwise, or changes them. */
export class GivenProviders extends NotificationProvidersStore {
  constructor(
    public given: readonly Provider[],
    override readonly health: SharedHealth,
  ) {
    super();
  }

  override usable(channel: NotificationChannel): Promise<readonly Provider[]> {
    return Promise.resolve(this.given.filter((provider) => provider.channel === channel));
  }

  override forget(): void {}

  override findActive(id: ProviderId): Promise<Provider | undefined> {
    return Promise.resolve(this.given.find((provider) => provider.id === id));
  }

  override list = notAskedFor;
  override find = notAskedFor;
  override lockForUpdate = notAskedFor;
  override add = notAskedFor;
  override replace = notAskedFor;
  override setState = notAskedFor;
  override remove = notAskedFor;
}

/** Doors that take everything, unless the test answers for them. */
export class TestDoors extends ProviderChannels {
  readonly mails: MailMessage[] = [];
  readonly messages: SmsMessage[] = [];
  /** Which provider was handed something, in their order. */
  readonly asked: string[] = [];
  answer: (provider: Provider) => Promise<Accepted> = () => Promise.resolve({});

  override async sendMail(provider: Provider, message: MailMessage): Promise<Accepted> {
    this.asked.push(provider.name);
    const accepted = await this.answer(provider);
    this.mails.push(message);
    return accepted;
  }

  override async sendSms(provider: Provider, message: SmsMessage): Promise<Accepted> {
    this.asked.push(provider.name);
    const accepted = await this.answer(provider);
    this.messages.push(message);
    return accepted;
  }

  override checkCode = notAskedFor;

  override isSigned(): Promise<boolean> {
    return Promise.resolve(false);
  }
}

export class FlaggedPrefixes extends SmsPrefixes {
  readonly flagged: string[] = [];

  override flag(prefixOf: string, reason: string): Promise<void> {
    this.flagged.push(`${prefixOf} ${reason}`);
    return Promise.resolve();
  }
}

export class KeptLog extends Log {
  readonly lines: string[] = [];

  override debug(): void {}
  override info(message: string): void {
    this.lines.push(message);
  }
  override warn(message: string): void {
    this.lines.push(message);
  }
  override error(message: string): void {
    this.lines.push(message);
  }
}

export interface SendingParts {
  readonly unitOfWork: UnitOfWork;
  readonly notifications: NotificationsStore;
  readonly outbox: OutboxStore;
  readonly events: EventsStore;
  readonly providers: NotificationProvidersStore;
  readonly doors: ProviderChannels;
  readonly issuer: string;
  readonly prefixes?: SmsPrefixes;
  readonly log?: Log;
  readonly limits?: SmsLimitSettings;
}

/** As they are unless set. */
export function smsLimits(): SmsLimitSettings {
  const { smsLimits: limits } = readConfig({});
  return {
    ...limits,
    countries: new Set(limits.countries),
    numberTypes: new Set(limits.numberTypes),
    costs: new Map(Object.entries(limits.costs)),
  };
}

/** The sending of messages put together as the worker has it, with doors of the test's. */
export function sendingWith(parts: SendingParts): {
  send: SendNotification;
  gates: ProviderGates;
  counters: Counters;
} {
  const { unitOfWork, notifications, events, providers, issuer } = parts;
  const messages = new ComposeMessages({ issuer }, new MailRenderer());
  const gates = new ProviderGates(
    providers,
    unitOfWork,
    new ChangeProviderHealth(providers, events, parts.log ?? new KeptLog()),
  );
  const handOver = new HandOver(
    notifications,
    providers,
    gates,
    new SendByProvider(messages, parts.doors, { issuer }),
    parts.limits ?? smsLimits(),
    parts.log ?? new KeptLog(),
  );
  const prefixes = parts.prefixes ?? new FlaggedPrefixes();
  const counters = new Counters(new SharedClock(), unitOfWork);
  const send = new SendNotification(
    new ClaimAndDeliver(unitOfWork, parts.outbox, events),
    notifications,
    gates,
    handOver,
    prefixes,
    counters,
  );
  return { send, gates, counters };
}
