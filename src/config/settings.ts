import { X509Certificate } from 'node:crypto';
import type { Abstract, ValueProvider } from '@nestjs/common';
import { FrontChannelLogoutSettings } from '../domain/applications/front-channel.js';
import { readKeySet } from '../domain/applications/keys/key-set.js';
import { SubjectSettings } from '../domain/applications/sector-identifier.js';
import { ServedResponses, servedResponses } from '../domain/authorize/checks/served-responses.js';
import { RequestObjectSettings } from '../domain/authorize/request/request-object.js';
import { ClientFailureSettings } from '../domain/client-auth/client-failures.js';
import { certificateMethods, MutualTlsSettings } from '../domain/client-auth/mutual-tls.js';
import { ClientAuthSettings } from '../domain/client-auth/private-key-jwt.js';
import { ClientRegistrationSettings } from '../domain/client-registration/client-registration-settings.js';
import { DpopSettings } from '../domain/dpop/dpop-nonces.js';
import { ImportPaceSettings } from '../domain/imports/chunks/import-pace.js';
import { ImportSettings } from '../domain/imports/end-import.js';
import { ImportSpaceSettings } from '../domain/imports/receive/import-space.js';
import { UploadSettings } from '../domain/imports/receive/receive-import.js';
import { RetentionSettings } from '../domain/maintenance/maintenance.store.js';
import { SmsLimitSettings } from '../domain/notifications/abuse/sms-limit-settings.js';
import { NotificationSettings } from '../domain/notifications/notification-settings.js';
import { OrganizationSettings } from '../domain/organizations/manage-organizations.js';
import { PasskeySettings } from '../domain/passkeys/passkey.js';
import { PasswordHashingSettings } from '../domain/passwords/hashing/password-hashing.js';
import { SessionManagementSettings } from '../domain/sessions/browser-state.js';
import { SessionSettings } from '../domain/sessions/sessions.store.js';
import type { ProjectId } from '../domain/shared/ids.js';
import { ResponseTimePadding } from '../domain/sign-in/response-time-padding.js';
import { WatchSettings } from '../domain/sign-in/watch-sign-ins.js';
import { KeySettings } from '../domain/signing-keys/key-settings.js';
import { ResourceSettings } from '../domain/tokens/audience/resource-indicators.js';
import { TokenSettings } from '../domain/tokens/token-settings.js';
import type { AppConfig } from './config.js';

/** How long a replica trusts what it last read of the keys. */
const KEY_LEASE_MS = 10_000;
/** Hashings that may wait in all; before that come the bounds of each organization and address (fair-lane.ts). */
const HASHING_QUEUE = 1_000;

/** The domain knows nothing of the environment: each of its modules declares what it asks for, and is given it here. */
export function settingsOf(app: AppConfig): ValueProvider[] {
  const { issuer, keys, imports, lifetimes, limits, passwords, retention, smsLimits } = app;
  const mutualTls = {
    served: app.mutualTls !== undefined,
    authorities: (app.mutualTls?.authorities ?? []).map((pem) => new X509Certificate(pem)),
  };
  return [
    // signing keys, tokens, sessions
    bind(KeySettings, { algorithm: keys.algorithm, leaseMs: KEY_LEASE_MS }),
    bind(TokenSettings, {
      issuer: issuer.url,
      accessTokenSeconds: lifetimes.accessTokenMs / 1000,
      idTokenSeconds: lifetimes.idTokenMs / 1000,
      codeSeconds: lifetimes.codeMs / 1000,
      refreshIdleSeconds: lifetimes.refreshIdleMs / 1000,
      refreshAbsoluteSeconds: lifetimes.refreshAbsoluteMs / 1000,
      refreshGraceSeconds: lifetimes.refreshGraceMs / 1000,
    }),
    bind(SessionSettings, {
      idleSeconds: lifetimes.sessionIdleMs / 1000,
      absoluteSeconds: lifetimes.sessionAbsoluteMs / 1000,
    }),
    bind(SessionManagementSettings, { served: app.sessionManagementServed }),
    // client authentication
    bind(ClientAuthSettings, {
      issuer: issuer.url,
      tokenEndpoint: `${issuer.url}/oauth/v2/token`,
      pushedAuthorizationEndpoint: `${issuer.url}/oauth/v2/par`,
    }),
    bind(MutualTlsSettings, mutualTls),
    bind(ClientRegistrationSettings, {
      issuer: issuer.url,
      mode: app.clientRegistration.mode,
      documents: app.clientRegistration.documents,
      servesHybrid: app.hybridFlowServed,
      servesPairwise: app.pairwiseSubjectsServed,
      servesFrontChannelLogout: app.frontChannelLogoutServed,
      servesRequestObjects: app.requestObjectsServed,
      servesCertificates: app.mutualTls && certificateMethods(mutualTls),
      fetchesPerMinute: limits.registrationsPerMinute,
      fetchesInAllPerMinute: limits.openRegistrationsPerMinute,
      newClientsPerDay: limits.openRegistrationsPerDay,
      openProject: app.clientRegistration.openProject as ProjectId | undefined,
      unusedSeconds: app.clientRegistration.unusedMs / 1000,
      statementIssuers: app.clientRegistration.statementIssuers.map(({ issuer: trusted, jwksUri, jwks }) => ({
        issuer: trusted,
        keys: jwksUri === undefined ? readKeySet(JSON.stringify(jwks)) : { jwksUri },
      })),
    }),
    bind(SubjectSettings, { servesPairwise: app.pairwiseSubjectsServed }),
    bind(ResourceSettings, { served: app.resourceIndicatorsServed }),
    bind(
      ServedResponses,
      servedResponses({ hybrid: app.hybridFlowServed, jwtModes: app.jwtResponseModesServed }),
    ),
    bind(FrontChannelLogoutSettings, { issuer: issuer.url, served: app.frontChannelLogoutServed }),
    bind(RequestObjectSettings, { issuer: issuer.url, served: app.requestObjectsServed }),
    bind(DpopSettings, { nonceRequired: app.dpopNonceRequired }),
    bind(ClientFailureSettings, { failuresPerMinute: limits.tokenFailuresPerMinute }),
    // passwords, sign-in
    bind(PasswordHashingSettings, {
      memoryKib: passwords.memoryKib,
      iterations: passwords.iterations,
      parallelism: passwords.parallelism,
      slots: passwords.slots,
      queueLimit: HASHING_QUEUE,
      schemesOff: passwords.schemesOff,
    }),
    bind(ResponseTimePadding, new ResponseTimePadding(passwords.responsePaddingMs)),
    bind(WatchSettings, { refusalsPerMinute: limits.refusedSignInsPerMinute }),
    bind(PasskeySettings, { rpId: new URL(issuer.url).hostname, origin: new URL(issuer.url).origin }),
    // organizations
    bind(OrganizationSettings, { host: new URL(issuer.url).hostname }),
    // notifications
    bind(NotificationSettings, { issuer: issuer.url }),
    bind(SmsLimitSettings, {
      ...smsLimits,
      countries: new Set(smsLimits.countries),
      numberTypes: new Set(smsLimits.numberTypes),
      costs: new Map(Object.entries(smsLimits.costs)),
    }),
    // imports
    bind(ImportSettings, { retentionMs: imports.retentionMs }),
    bind(ImportPaceSettings, { priority: imports.priority }),
    bind(ImportSpaceSettings, imports.space),
    bind(UploadSettings, { mostBytes: imports.mostBytes }),
    // maintenance
    bind(RetentionSettings, {
      // whether somebody has signed in decides whether an import may take them out again
      sessionSeconds: Math.max(retention.sessionMs, imports.retentionMs) / 1000,
      noticeSeconds: retention.notificationMs / 1000,
      eventSeconds: retention.eventMs === undefined ? undefined : retention.eventMs / 1000,
      importSeconds: imports.retentionMs / 1000,
    }),
  ];
}

function bind<Settings>(provide: Abstract<Settings>, useValue: NoInfer<Settings>): ValueProvider<Settings> {
  return { provide, useValue };
}
