import { ChangeOwnPassword } from './accounts/change-own-password.js';
import { ResendPhoneCode } from './accounts/resend-phone-code.js';
import { VerifyOwnPhone } from './accounts/verify-own-phone.js';
import { VerifyOwnEmail } from './accounts/verify-own-email.js';
import { ChangeEmail } from './accounts/change-email.js';
import { ChangePhone } from './accounts/change-phone.js';
import { ChangeProfile } from './accounts/change-profile.js';
import { ChangeUserName } from './accounts/change-user-name.js';
import { DeleteUser } from './accounts/delete-user.js';
import { EndSessionsOfUser } from './accounts/end-sessions-of-user.js';
import { EndAccess } from './users/end-access.js';
import { HoldAccount } from './accounts/hold-account.js';
import { SetPassword } from './accounts/set-password.js';
import { ChangeUserMetadata } from './accounts/user-metadata.js';
import { LockoutPolicies } from './policies/lockout-policies.js';
import { PasswordPolicies } from './policies/password-policies.js';
import { TokenPolicies } from './policies/token-policies.js';
import type { Provider } from '@nestjs/common';
import { AdmitUser } from './authorize/admit-user.js';
import { AnswerRequest } from './authorize/answer-request.js';
import { BeginAuthorization } from './authorize/begin-authorization.js';
import { TellMissedSettings } from './authorize/tell-missed-settings.js';
import { BeginFlow } from './authorize/begin-flow.js';
import { ContinueFlow } from './authorize/continue-flow.js';
import { ReadIdTokenHint } from './authorize/id-token-hint.js';
import { RequestedAudience } from './tokens/requested-audience.js';
import { SignOut } from './authorize/sign-out.js';
import { AuthenticateClient } from './client-auth/authenticate-client.js';
import { ChangeApplication } from './applications/change-application.js';
import { ChangeProject } from './projects/change-project.js';
import { ClientFailures } from './client-auth/client-failures.js';
import { PrivateKeyJwt } from './client-auth/private-key-jwt.js';
import { AddApplicationKey } from './applications/keys/add-application-key.js';
import { ApplicationKeys } from './applications/keys/application-keys.js';
import { CreateOidcApplication } from './applications/create-oidc-application.js';
import { CreateProject } from './projects/create-project.js';
import { GiveAccess } from './applications/give-access.js';
import { ManageConsents } from './consents/manage-consents.js';
import { EffectiveRoles } from './permissions/effective-roles.js';
import { ProjectRoles } from './projects/project-roles.js';
import { AuthorizationCodeGrant } from './grants/authorization-code.grant.js';
import { AuthenticateServiceUser } from './grants/authenticate-service-user.js';
import { ClientCredentialsGrant } from './grants/client-credentials.grant.js';
import type { Grant } from './grants/grant.js';
import { ReadParty } from './grants/exchange/read-party.js';
import { IntrospectionEndpoint } from './grants/introspection-endpoint.js';
import { RevocationEndpoint } from './grants/revocation-endpoint.js';
import { JwtProfileGrant } from './grants/jwt-profile.grant.js';
import { RefreshTokenGrant } from './grants/refresh-token.grant.js';
import { TokenExchangeGrant } from './grants/token-exchange.grant.js';
import { GrantRegistry, TokenEndpoint } from './grants/token-endpoint.js';
import { AnswerOnce } from './idempotency/answer-once.js';
import { ImportHumanUser } from './import/import-human-user.js';
import { AlgorithmTakeover } from './keys/algorithm-takeover.js';
import { EnsureKeys } from './keys/ensure-keys.js';
import { MakeKeys } from './keys/make-keys.js';
import { RotateKeys } from './keys/rotate-keys.js';
import { ChangeKeySchedule } from './keys/change-key-schedule.js';
import { KeySetReaders } from './keys/key-set-readers.js';
import { FollowKeys } from './keys/follow-keys.js';
import { KeyRing } from './keys/key-ring.js';
import { AdmitSms } from './notifications/abuse/admit-sms.js';
import { BlockPrefixes } from './notifications/abuse/block-prefixes.js';
import { LiftBlocks } from './notifications/abuse/lift-blocks.js';
import { SmsPrefixes } from './notifications/abuse/sms-prefixes.js';
import { EventLog } from './events/event-log.js';
import { Ledger } from './notifications/ledger/ledger.js';
import { ReceiveReport } from './notifications/ledger/receive-report.js';
import { ReplayDeadLetters } from './notifications/ledger/replay-dead-letters.js';
import { ChangeMessageTemplates } from './notifications/templates/change-message-templates.js';
import { ShowMessageTemplates } from './notifications/templates/show-message-templates.js';
import { OweNotification } from './notifications/owe-notification.js';
import { ManageProviders } from './notifications/providers/manage-providers.js';
import { ChangeProviderHealth } from './notifications/health/change-provider-health.js';
import { TestProvider } from './notifications/providers/test-provider.js';
import { SmsModeOfFirstProvider, SmsProviders } from './notifications/providers/sms-providers.js';
import { CheckPassword } from './passwords/check-password.js';
import { LimitGuessing } from './passwords/limit-guessing.js';
import { PasswordHashing } from './passwords/password-hashing.js';
import { BrandingPolicies } from './policies/branding-policies.js';
import { ChangeOidcSettings } from './policies/change-oidc-settings.js';
import { ChangeSecuritySettings } from './policies/change-security-settings.js';
import { LoginPolicies } from './policies/login-policies.js';
import { EndLowerMade } from './members/end-lower-made.js';
import { ManageMembers } from './members/manage-members.js';
import { RequirePermission } from './permissions/require-permission.js';
import { KeepOwner } from './permissions/keep-owner.js';
import { RequireRank } from './permissions/require-rank.js';
import { FindRegistration } from './registration/find-registration.js';
import { FinishRegistration } from './registration/finish-registration.js';
import { Register } from './registration/register.js';
import { RegistrationCodes } from './registration/registration-codes.js';
import { EndImport } from './import-jobs/end-import.js';
import { FollowImport } from './import-jobs/follow-import.js';
import { NotifyImport } from './import-jobs/notify-import.js';
import { OweImportSms } from './import-jobs/owe-import-sms.js';
import { PrepareRecords } from './import-jobs/prepare-records.js';
import { RunImportChunk } from './import-jobs/run-import-chunk.js';
import { ImportSpace } from './import-jobs/import-space.js';
import { ImportPermission } from './import-jobs/import-permission.js';
import { RunImportAftercare } from './import-jobs/run-import-aftercare.js';
import { UndoImport } from './import-jobs/undo-import.js';
import { AddItem } from './import-jobs/add-item.js';
import { WriteItems } from './import-jobs/write-items.js';
import { WriteMetadata } from './import-jobs/write-metadata.js';
import { WriteRecords } from './import-jobs/write-records.js';
import { ImportJobs } from './import-jobs/import-jobs.js';
import { ReceiveImport } from './import-jobs/receive-import.js';
import { QueueImports } from './import-jobs/queue-imports.js';
import { RegistrationPolicy } from './registration/registration-policy.js';
import { ResendRegistration } from './registration/resend-registration.js';
import { BrowserAgents } from './sessions/browser-agents.js';
import { EndSessions } from './sessions/end-session.js';
import { RequestPasswordReset } from './sign-in/request-password-reset.js';
import { TellAccounts } from './sign-in/tell-accounts.js';
import { ResetHandles } from './sign-in/reset-handles.js';
import { ResetPassword } from './sign-in/reset-password.js';
import { ResolveLoginName } from './sign-in/resolve-login-name.js';
import { SignIn } from './sign-in/sign-in.js';
import { StartSession } from './sign-in/start-session.js';
import { WatchSignIns } from './sign-in/watch-sign-ins.js';
import { CheckAccessToken } from './tokens/check-access-token.js';
import { ProjectAudience } from './tokens/project-audience.js';
import { StandingClaims } from './tokens/standing-claims.js';
import { ManageDomains } from './orgs/manage-domains.js';
import { ManageOrganizations } from './orgs/manage-organizations.js';
import { ManageProjectGrants } from './project-grants/manage-project-grants.js';
import { ManageUserGrants } from './user-grants/manage-user-grants.js';
import { CheckIdToken } from './tokens/check-id-token.js';
import { IssueTokens } from './tokens/issue-tokens.js';
import { SignJwt } from './tokens/sign-jwt.js';
import { AskToVerifyEmail } from './users/ask-to-verify-email.js';
import { ChangePassword } from './users/change-password.js';
import { ChangeUserState } from './users/change-user-state.js';
import { FindUser } from './users/find-user.js';
import { ChangeServiceUser } from './users/machines/change-service-user.js';
import { CreateServiceUser } from './users/machines/create-service-user.js';
import { FindServiceUser } from './users/machines/find-service-user.js';
import { MachineKeys } from './users/machines/machine-keys.js';
import { MachineSecrets } from './users/machines/machine-secrets.js';
import { PersonalAccessTokens } from './users/machines/personal-access-tokens.js';
import { SetInitialPassword } from './users/set-initial-password.js';
import { EvaluateCode } from './users/verification/evaluate-code.js';
import { FindVerification } from './users/verification/find-verification.js';
import { OwePhoneVerification } from './users/verification/owe-phone-verification.js';
import { UsePhoneCode } from './users/verification/use-phone-code.js';
import { VerifyPhone } from './users/verify-phone.js';
import { OweVerification } from './users/verification/owe-verification.js';
import { SetPasswordWithCode } from './users/verification/set-password-with-code.js';
import { UseEmailCode } from './users/verification/use-email-code.js';
import { VerifyEmail } from './users/verify-email.js';

/** Table of contents of what the service can do: the use cases of each room, for a composition root to list. */

export const keysRoom: Provider[] = [
  MakeKeys,
  EnsureKeys,
  AlgorithmTakeover,
  RotateKeys,
  ChangeKeySchedule,
  KeySetReaders,
  KeyRing,
  FollowKeys,
];
export const tokensRoom: Provider[] = [
  SignJwt,
  StandingClaims,
  IssueTokens,
  CheckAccessToken,
  CheckIdToken,
  ProjectAudience,
];
export const passwordsRoom: Provider[] = [PasswordHashing, LimitGuessing, CheckPassword];
export const sessionsRoom: Provider[] = [BrowserAgents, EndSessions];
export const smsLimitsRoom: Provider[] = [
  AdmitSms,
  BlockPrefixes,
  { provide: SmsPrefixes, useExisting: BlockPrefixes },
];
export const eventsRoom: Provider[] = [EventLog];
export const notificationsRoom: Provider[] = [
  ...smsLimitsRoom,
  LiftBlocks,
  OweNotification,
  ReplayDeadLetters,
  Ledger,
  ReceiveReport,
  { provide: SmsProviders, useClass: SmsModeOfFirstProvider },
  ManageProviders,
  ChangeProviderHealth,
  TestProvider,
  ChangeMessageTemplates,
  ShowMessageTemplates,
];
export const signInRoom: Provider[] = [
  ResolveLoginName,
  WatchSignIns,
  SignIn,
  StartSession,
  ResetHandles,
  RequestPasswordReset,
  TellAccounts,
  ResetPassword,
];
export const usersRoom: Provider[] = [
  FindUser,
  ChangeUserState,
  OweVerification,
  OwePhoneVerification,
  UsePhoneCode,
  VerifyPhone,
  FindVerification,
  EvaluateCode,
  UseEmailCode,
  SetPasswordWithCode,
  SetInitialPassword,
  VerifyEmail,
  AskToVerifyEmail,
  ChangePassword,
  FindServiceUser,
  CreateServiceUser,
  ChangeServiceUser,
  MachineSecrets,
  MachineKeys,
  PersonalAccessTokens,
];
export const accountsRoom: Provider[] = [
  HoldAccount,
  ChangeProfile,
  ChangeEmail,
  ChangePhone,
  ChangeUserName,
  ChangeUserMetadata,
  SetPassword,
  ChangeOwnPassword,
  VerifyOwnEmail,
  VerifyOwnPhone,
  ResendPhoneCode,
  EndSessionsOfUser,
  EndAccess,
  DeleteUser,
];
export const registrationRoom: Provider[] = [
  RegistrationPolicy,
  RegistrationCodes,
  FindRegistration,
  Register,
  ResendRegistration,
  FinishRegistration,
];
export const importRoom: Provider[] = [ImportHumanUser];
export const importJobsRoom: Provider[] = [QueueImports, ImportPermission, ImportSpace, ImportJobs];
/** The part of the room that a worker does. */
export const runImportsRoom: Provider[] = [
  QueueImports,
  ImportPermission,
  EndImport,
  PrepareRecords,
  OweImportSms,
  WriteRecords,
  WriteMetadata,
  AddItem,
  WriteItems,
  RunImportChunk,
  FollowImport,
  RunImportAftercare,
  UndoImport,
  NotifyImport,
];
/** Files are received by the API alone. */
export const importUploadsRoom: Provider[] = [ReceiveImport];
export const clientsRoom: Provider[] = [
  CreateProject,
  ChangeProject,
  ProjectRoles,
  CreateOidcApplication,
  GiveAccess,
  ChangeApplication,
  AddApplicationKey,
  ApplicationKeys,
];
export const userGrantsRoom: Provider[] = [ManageProjectGrants, ManageUserGrants];
export const orgsRoom: Provider[] = [ManageOrganizations, ManageDomains];
export const permissionsRoom: Provider[] = [
  EffectiveRoles,
  RequirePermission,
  RequireRank,
  KeepOwner,
  EndLowerMade,
  ManageMembers,
];
export const consentsRoom: Provider[] = [ManageConsents];
export const policiesRoom: Provider[] = [
  BrandingPolicies,
  LoginPolicies,
  PasswordPolicies,
  LockoutPolicies,
  TokenPolicies,
  ChangeOidcSettings,
  ChangeSecuritySettings,
];
export const idempotencyRoom: Provider[] = [AnswerOnce];
export const authorizeRoom: Provider[] = [
  ReadIdTokenHint,
  AdmitUser,
  RequestedAudience,
  AnswerRequest,
  TellMissedSettings,
  BeginFlow,
  BeginAuthorization,
  ContinueFlow,
  SignOut,
];

/** A grant that is added here is served and listed by discovery; one that is not does not exist. */
const GRANTS = [
  AuthorizationCodeGrant,
  RefreshTokenGrant,
  ClientCredentialsGrant,
  JwtProfileGrant,
  TokenExchangeGrant,
];

export const grantsRoom: Provider[] = [
  PrivateKeyJwt,
  AuthenticateClient,
  ClientFailures,
  ReadParty,
  AuthenticateServiceUser,
  ...GRANTS,
  {
    provide: GrantRegistry,
    inject: GRANTS,
    useFactory: (...grants: Grant[]): GrantRegistry => ({
      grants: new Map(grants.map((grant) => [grant.type, grant])),
    }),
  },
  TokenEndpoint,
  IntrospectionEndpoint,
  RevocationEndpoint,
];
