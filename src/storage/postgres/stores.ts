import type { Provider } from '@nestjs/common';
import { VerificationCodesStore } from '../../domain/users/verification/verification-codes.store.js';
import { UsersStore } from '../../domain/users/users.store.js';
import { PermissionsStore } from '../../domain/permissions/permissions.store.js';
import { PoliciesStore } from '../../domain/policies/policies.store.js';
import { PasswordAttemptsStore } from '../../domain/passwords/password-attempts.store.js';
import { AlarmsStore } from '../../domain/sign-in/alarms.store.js';
import { PasswordsStore } from '../../domain/passwords/passwords.store.js';
import { OrgsStore } from '../../domain/orgs/orgs.store.js';
import { ProjectsStore } from '../../domain/clients/projects.store.js';
import { ApplicationsStore } from '../../domain/clients/applications.store.js';
import { InstanceStore } from '../../domain/orgs/instance.store.js';
import { RegistrationsStore } from '../../domain/registration/registrations.store.js';
import { SignInNamesStore } from '../../domain/sign-in/sign-in-names.store.js';
import { AuthRequestsStore } from '../../domain/authorize/auth-requests.store.js';
import { SessionsStore } from '../../domain/sessions/sessions.store.js';
import { GrantsStore } from '../../domain/tokens/grants.store.js';
import { TokensStore } from '../../domain/tokens/tokens.store.js';
import { IdempotencyStore } from '../../domain/idempotency/idempotency.store.js';
import { PersonalAccessTokensStore } from '../../domain/users/personal-access-tokens.store.js';
import { KeysStore } from '../../domain/keys/keys.store.js';
import { EventsStore } from '../../domain/events/events.store.js';
import { HeartbeatsStore } from '../../domain/maintenance/heartbeats.store.js';
import { UpkeepStore } from '../../domain/maintenance/upkeep.store.js';
import { LogoutNoticesStore } from '../../domain/logout/logout-notices.store.js';
import { NotificationsStore } from '../../domain/notifications/notifications.store.js';
import { OutboxSignal } from '../../domain/outbox/outbox-signal.js';
import { OutboxStore } from '../../domain/outbox/outbox.store.js';
import { UnitOfWork } from '../../domain/shared/unit-of-work.js';
import { PgEventsStore } from './pg-events.store.js';
import { PgHeartbeatsStore } from './pg-heartbeats.store.js';
import { PgLogoutNoticesStore } from './pg-logout-notices.store.js';
import { PgNotificationsStore } from './pg-notifications.store.js';
import { PgOutboxSignal } from './pg-outbox-signal.js';
import { PgOutboxStore } from './pg-outbox.store.js';
import { PgUnitOfWork } from './pg-unit-of-work.js';
import { PgUpkeepStore } from './pg-upkeep.store.js';

import { PgKeysStore } from './pg-keys.store.js';

import { PgTokensStore } from './pg-tokens.store.js';

import { PgGrantsStore } from './pg-grants.store.js';

import { PgSessionsStore } from './pg-sessions.store.js';

import { PgAuthRequestsStore } from './pg-auth-requests.store.js';

import { PgSignInNamesStore } from './pg-sign-in-names.store.js';

import { PgInstanceStore } from './pg-instance.store.js';
import { PgApplicationsStore } from './pg-applications.store.js';
import { PgProjectsStore } from './pg-projects.store.js';
import { PgIdempotencyStore } from './pg-idempotency.store.js';
import { PgPersonalAccessTokensStore } from './pg-personal-access-tokens.store.js';
import { PgOrgsStore } from './pg-orgs.store.js';
import { PgAlarmsStore } from './pg-alarms.store.js';
import { PgPasswordAttemptsStore } from './pg-password-attempts.store.js';
import { PgPasswordsStore } from './pg-passwords.store.js';
import { PgPermissionsStore } from './pg-permissions.store.js';
import { PgRegistrationsStore } from './pg-registrations.store.js';
import { PgPoliciesStore } from './pg-policies.store.js';
import { PgUsersStore } from './pg-users.store.js';
import { PgVerificationCodesStore } from './pg-verification-codes.store.js';
import { AccountsStore } from '../../domain/accounts/accounts.store.js';
import { PgAccountsStore } from './pg-accounts.store.js';
import { UserMetadataStore } from '../../domain/accounts/user-metadata.store.js';
import { PgUserMetadataStore } from './pg-user-metadata.store.js';
import { UserSearchStore } from '../../domain/accounts/user-search.store.js';
import { PgUserSearchStore } from './pg-user-search.store.js';
import { SecurityPoliciesStore } from '../../domain/policies/security-policies.store.js';
import { PgSecurityPoliciesStore } from './pg-security-policies.store.js';

/** Domain contract → its Postgres implementation. */
export const postgresStores: Provider[] = [
  { provide: UnitOfWork, useClass: PgUnitOfWork },
  { provide: EventsStore, useClass: PgEventsStore },
  { provide: HeartbeatsStore, useClass: PgHeartbeatsStore },
  { provide: LogoutNoticesStore, useClass: PgLogoutNoticesStore },
  { provide: NotificationsStore, useClass: PgNotificationsStore },
  { provide: OutboxSignal, useClass: PgOutboxSignal },
  { provide: OutboxStore, useClass: PgOutboxStore },
  { provide: UpkeepStore, useClass: PgUpkeepStore },
  { provide: KeysStore, useClass: PgKeysStore },
  { provide: TokensStore, useClass: PgTokensStore },
  { provide: GrantsStore, useClass: PgGrantsStore },
  { provide: SessionsStore, useClass: PgSessionsStore },
  { provide: AuthRequestsStore, useClass: PgAuthRequestsStore },
  { provide: SignInNamesStore, useClass: PgSignInNamesStore },
  { provide: InstanceStore, useClass: PgInstanceStore },
  { provide: ApplicationsStore, useClass: PgApplicationsStore },
  { provide: ProjectsStore, useClass: PgProjectsStore },
  { provide: OrgsStore, useClass: PgOrgsStore },
  { provide: IdempotencyStore, useClass: PgIdempotencyStore },
  { provide: PersonalAccessTokensStore, useClass: PgPersonalAccessTokensStore },
  { provide: PasswordsStore, useClass: PgPasswordsStore },
  { provide: PasswordAttemptsStore, useClass: PgPasswordAttemptsStore },
  { provide: AlarmsStore, useClass: PgAlarmsStore },
  { provide: PermissionsStore, useClass: PgPermissionsStore },
  { provide: RegistrationsStore, useClass: PgRegistrationsStore },
  { provide: PoliciesStore, useClass: PgPoliciesStore },
  { provide: UsersStore, useClass: PgUsersStore },
  { provide: VerificationCodesStore, useClass: PgVerificationCodesStore },
  { provide: AccountsStore, useClass: PgAccountsStore },
  { provide: UserMetadataStore, useClass: PgUserMetadataStore },
  { provide: UserSearchStore, useClass: PgUserSearchStore },
  { provide: SecurityPoliciesStore, useClass: PgSecurityPoliciesStore },
];
