import type { Provider } from '@nestjs/common';
import { Config } from './config/config.js';
import { ClientAuthSettings } from './domain/client-auth/client-auth-settings.js';
import { ClientFailureSettings } from './domain/client-auth/client-failures.js';
import { NotificationSettings } from './domain/notifications/notification-settings.js';
import { KeySettings } from './domain/keys/key-settings.js';
import { RetentionSettings } from './domain/maintenance/retention-settings.js';
import { PasswordHashingSettings } from './domain/passwords/password-hashing.js';
import { SessionSettings } from './domain/sessions/session-settings.js';
import { WatchSettings } from './domain/sign-in/watch-sign-ins.js';
import { TimeGrid } from './domain/sign-in/time-grid.js';
import { OrganizationSettings } from './domain/orgs/organization-settings.js';
import { ImportSettings } from './domain/import-jobs/import-settings.js';
import { ImportSpaceSettings } from './domain/import-jobs/import-space.js';
import { UploadSettings } from './domain/import-jobs/upload-settings.js';
import { TokenSettings } from './domain/tokens/token-settings.js';

import { SmsLimitSettings } from './domain/notifications/abuse/sms-limit-settings.js';

/** How long a replica trusts what it last read of the keys. */
const KEY_LEASE_MS = 10_000;
/** Hashings that may wait in all; before that come the bounds of each organization and address (fair-lane.ts). */
const HASHING_QUEUE = 1_000;

/** The domain knows nothing of the environment: each room gets the few settings it asks for. */
export const domainSettings: Provider[] = [
  {
    provide: ImportSettings,
    inject: [Config],
    useFactory: ({ app }: Config): ImportSettings => ({ retentionMs: app.imports.retentionMs }),
  },
  {
    provide: NotificationSettings,
    inject: [Config],
    useFactory: ({ app }: Config): NotificationSettings => ({ issuer: app.issuer.url }),
  },
  {
    provide: UploadSettings,
    inject: [Config],
    useFactory: ({ app }: Config): UploadSettings => ({ mostBytes: app.imports.mostBytes }),
  },
  {
    provide: ImportSpaceSettings,
    inject: [Config],
    useFactory: ({ app }: Config): ImportSpaceSettings => app.imports.space,
  },
  {
    provide: OrganizationSettings,
    inject: [Config],
    useFactory: ({ app }: Config): OrganizationSettings => ({ host: new URL(app.issuer.url).hostname }),
  },
  {
    provide: TokenSettings,
    inject: [Config],
    useFactory: ({ app }: Config): TokenSettings => ({
      issuer: app.issuer.url,
      accessTokenSeconds: app.lifetimes.accessTokenMs / 1000,
      idTokenSeconds: app.lifetimes.idTokenMs / 1000,
      codeSeconds: app.lifetimes.codeMs / 1000,
      refreshIdleSeconds: app.lifetimes.refreshIdleMs / 1000,
      refreshAbsoluteSeconds: app.lifetimes.refreshAbsoluteMs / 1000,
      refreshGraceSeconds: app.lifetimes.refreshGraceMs / 1000,
    }),
  },
  {
    provide: ClientAuthSettings,
    inject: [Config],
    useFactory: ({ app }: Config): ClientAuthSettings => ({
      issuer: app.issuer.url,
      tokenEndpoint: `${app.issuer.url}/oauth/v2/token`,
    }),
  },
  {
    provide: SessionSettings,
    inject: [Config],
    useFactory: ({ app }: Config): SessionSettings => ({
      idleSeconds: app.lifetimes.sessionIdleMs / 1000,
      absoluteSeconds: app.lifetimes.sessionAbsoluteMs / 1000,
    }),
  },
  {
    provide: RetentionSettings,
    inject: [Config],
    useFactory: ({ app }: Config): RetentionSettings => ({
      // whether somebody has signed in decides whether an import may take them out again
      sessionSeconds: Math.max(app.retention.sessionMs, app.imports.retentionMs) / 1000,
      noticeSeconds: app.retention.notificationMs / 1000,
      eventSeconds: app.retention.eventMs === undefined ? undefined : app.retention.eventMs / 1000,
      importSeconds: app.imports.retentionMs / 1000,
    }),
  },
  {
    provide: KeySettings,
    inject: [Config],
    useFactory: ({ app }: Config): KeySettings => ({ algorithm: app.keys.algorithm, leaseMs: KEY_LEASE_MS }),
  },
  {
    provide: PasswordHashingSettings,
    inject: [Config],
    useFactory: ({ app }: Config): PasswordHashingSettings => ({
      memoryKib: app.passwords.memoryKib,
      iterations: app.passwords.iterations,
      parallelism: app.passwords.parallelism,
      slots: app.passwords.slots,
      queueLimit: HASHING_QUEUE,
      schemesOff: app.passwords.schemesOff,
    }),
  },
  {
    provide: TimeGrid,
    inject: [Config],
    useFactory: ({ app }: Config): TimeGrid => new TimeGrid(app.passwords.timeGridMs),
  },
  {
    provide: SmsLimitSettings,
    inject: [Config],
    useFactory: ({ app }: Config): SmsLimitSettings => ({
      ...app.smsLimits,
      countries: new Set(app.smsLimits.countries),
      numberTypes: new Set(app.smsLimits.numberTypes),
      costs: new Map(Object.entries(app.smsLimits.costs)),
    }),
  },
  {
    provide: ClientFailureSettings,
    inject: [Config],
    useFactory: ({ app }: Config): ClientFailureSettings => ({
      failuresPerMinute: app.limits.tokenFailuresPerMinute,
    }),
  },
  {
    provide: WatchSettings,
    inject: [Config],
    useFactory: ({ app }: Config): WatchSettings => ({
      refusalsPerMinute: app.limits.refusedSignInsPerMinute,
    }),
  },
];
