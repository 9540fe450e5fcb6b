import { CreateFoundations1763700000000 } from '../../../migrations/1763700000000-create-foundations.js';
import { CreateOrganizationsAndUsers1763700100000 } from '../../../migrations/1763700100000-create-organizations-and-users.js';
import { CreateProjectsAndApplications1763700200000 } from '../../../migrations/1763700200000-create-projects-and-applications.js';
import { CreateSessionsAndGrants1763700300000 } from '../../../migrations/1763700300000-create-sessions-and-grants.js';
import { CreateEventsAndOutbox1763700400000 } from '../../../migrations/1763700400000-create-events-and-outbox.js';
import { CreatePolicies1763700500000 } from '../../../migrations/1763700500000-create-policies.js';
import { CreatePasswordAttempts1763700600000 } from '../../../migrations/1763700600000-create-password-attempts.js';
import { CreateRegistrations1763700700000 } from '../../../migrations/1763700700000-create-registrations.js';
import { CreateLogoutNotices1763700800000 } from '../../../migrations/1763700800000-create-logout-notices.js';
import { FindLiveCodesBySession1763700900000 } from '../../../migrations/1763700900000-find-live-codes-by-session.js';
import { CreateApplicationKeys1763701000000 } from '../../../migrations/1763701000000-create-application-keys.js';
import { CreateServiceUserCredentials1763701100000 } from '../../../migrations/1763701100000-create-service-user-credentials.js';
import { CreateRolesAndMembers1763701200000 } from '../../../migrations/1763701200000-create-roles-and-members.js';
import { ManageUsers1763701300000 } from '../../../migrations/1763701300000-manage-users.js';
import { CreateSecurityPolicies1763701300001 } from '../../../migrations/1763701300001-create-security-policies.js';
import { CreateTokenExchanges1763701400000 } from '../../../migrations/1763701400000-create-token-exchanges.js';
import { EndThingsForGood1763701500000 } from '../../../migrations/1763701500000-end-things-for-good.js';
import { SearchInsideNames1763701550000 } from '../../../migrations/1763701550000-search-inside-names.js';
import { CreateImports1763701600000 } from '../../../migrations/1763701600000-create-imports.js';
import { RotateKeys1763701700000 } from '../../../migrations/1763701700000-rotate-keys.js';
import { LimitSms1763701800000 } from '../../../migrations/1763701800000-limit-sms.js';
import { CreateNotificationProviders1763701900000 } from '../../../migrations/1763701900000-create-notification-providers.js';
import { KeepDeliveryLedger1763702000000 } from '../../../migrations/1763702000000-keep-delivery-ledger.js';
import { CreateMessageTemplates1763702100000 } from '../../../migrations/1763702100000-create-message-templates.js';
import { TendRows1763702200000 } from '../../../migrations/1763702200000-tend-rows.js';
import { CarryWholeOrganizations1763702300000 } from '../../../migrations/1763702300000-carry-whole-organizations.js';
import { SlideSmsCaps1763702600000 } from '../../../migrations/1763702600000-slide-sms-caps.js';
import { NameWhoUndoes1763702700000 } from '../../../migrations/1763702700000-name-who-undoes.js';
import { NameWhoNotifies1763702800000 } from '../../../migrations/1763702800000-name-who-notifies.js';
import { GiveManagementAccess1763703000000 } from '../../../migrations/1763703000000-give-management-access.js';
import { KnowWhoProvedAddresses1763703100000 } from '../../../migrations/1763703100000-know-who-proved-addresses.js';
import { GrantProjects1763703200000 } from '../../../migrations/1763703200000-grant-projects.js';
import { RecordWhoMadeCredentials1763703200001 } from '../../../migrations/1763703200001-record-who-made-credentials.js';
import { CloseRegistration1763703300000 } from '../../../migrations/1763703300000-close-registration.js';
import { BoundImports1763703400000 } from '../../../migrations/1763703400000-bound-imports.js';
import { EndAccessForGood1763703500000 } from '../../../migrations/1763703500000-end-access-for-good.js';
import { MarkEmergencyKeys1763703900000 } from '../../../migrations/1763703900000-mark-emergency-keys.js';
import { KeepAmbiguousHashes1763704000000 } from '../../../migrations/1763704000000-keep-ambiguous-hashes.js';
import { GiveAnIdToOneThing1763704000001 } from '../../../migrations/1763704000001-give-an-id-to-one-thing.js';
import { HandOutLinks1763705000000 } from '../../../migrations/1763705000000-hand-out-links.js';
import { NarrowDatabaseRights1763706000000 } from '../../../migrations/1763706000000-narrow-database-rights.js';
import { AddOidcSettings1763707000000 } from '../../../migrations/1763707000000-add-oidc-settings.js';
import { RememberMissedSettings1763707000001 } from '../../../migrations/1763707000001-remember-missed-settings.js';
import { WatchImports1763709000000 } from '../../../migrations/1763709000000-watch-imports.js';
import { SearchEvents1763710000000 } from '../../../migrations/1763710000000-search-events.js';
import { TellWhereDeliveriesFail1763710000001 } from '../../../migrations/1763710000001-tell-where-deliveries-fail.js';
import { CountWhatImportsHold1763711000000 } from '../../../migrations/1763711000000-count-what-imports-hold.js';

/** Every migration, oldest first. Listed by hand: a forgotten file is a compile-time gap, not a silent glob miss. */
export const migrations = [
  CreateFoundations1763700000000,
  CreateOrganizationsAndUsers1763700100000,
  CreateProjectsAndApplications1763700200000,
  CreateSessionsAndGrants1763700300000,
  CreateEventsAndOutbox1763700400000,
  CreatePolicies1763700500000,
  CreatePasswordAttempts1763700600000,
  CreateRegistrations1763700700000,
  CreateLogoutNotices1763700800000,
  FindLiveCodesBySession1763700900000,
  CreateApplicationKeys1763701000000,
  CreateServiceUserCredentials1763701100000,
  CreateRolesAndMembers1763701200000,
  ManageUsers1763701300000,
  CreateSecurityPolicies1763701300001,
  CreateTokenExchanges1763701400000,
  EndThingsForGood1763701500000,
  SearchInsideNames1763701550000,
  CreateImports1763701600000,
  RotateKeys1763701700000,
  LimitSms1763701800000,
  CreateNotificationProviders1763701900000,
  KeepDeliveryLedger1763702000000,
  CreateMessageTemplates1763702100000,
  TendRows1763702200000,
  CarryWholeOrganizations1763702300000,
  SlideSmsCaps1763702600000,
  NameWhoUndoes1763702700000,
  NameWhoNotifies1763702800000,
  GiveManagementAccess1763703000000,
  KnowWhoProvedAddresses1763703100000,
  GrantProjects1763703200000,
  RecordWhoMadeCredentials1763703200001,
  CloseRegistration1763703300000,
  BoundImports1763703400000,
  EndAccessForGood1763703500000,
  MarkEmergencyKeys1763703900000,
  KeepAmbiguousHashes1763704000000,
  GiveAnIdToOneThing1763704000001,
  HandOutLinks1763705000000,
  NarrowDatabaseRights1763706000000,
  AddOidcSettings1763707000000,
  RememberMissedSettings1763707000001,
  WatchImports1763709000000,
  SearchEvents1763710000000,
  TellWhereDeliveriesFail1763710000001,
  CountWhatImportsHold1763711000000,
];
