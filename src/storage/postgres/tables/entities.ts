import { AlarmEntity } from './alarm.entity.js';
import { ApplicationKeyEntity } from './application-key.entity.js';
import { ApplicationEntity } from './application.entity.js';
import { AuthRequestEntity } from './auth-request.entity.js';
import { AuthorizationEntity } from './authorization.entity.js';
import { BrandingPolicyEntity } from './branding-policy.entity.js';
import { BulkActionEntity, BulkActionUserEntity } from './bulk-action.entity.js';
import { ClaimsWebhookEntity } from './claims-webhook.entity.js';
import { ClientRegistrationEntity } from './client-registration.entity.js';
import { CodeEntity } from './code.entity.js';
import { ConsentEntity } from './consent.entity.js';
import { DataKeyEntity } from './data-key.entity.js';
import { DeviceAuthorizationEntity } from './device-authorization.entity.js';
import { EventEntity } from './event.entity.js';
import { FactorPolicyEntity, FactorSettingsEntity } from './factor-policy.entity.js';
import { HeartbeatEntity } from './heartbeat.entity.js';
import { IdempotencyKeyEntity } from './idempotency-key.entity.js';
import {
  ExternalSignInEntity,
  IdentityProviderEntity,
  UserIdentityEntity,
} from './identity-provider.entity.js';
import { ImportChunkEntity, ImportEntity, ImportNameEntity } from './import.entity.js';
import { InitialAccessTokenEntity } from './initial-access-token.entity.js';
import { InstanceCountEntity } from './instance-count.entity.js';
import { InstanceEntity } from './instance.entity.js';
import { KeyScheduleEntity } from './key-schedule.entity.js';
import { KeySetReaderEntity } from './key-set-reader.entity.js';
import { KnownIdEntity } from './known-id.entity.js';
import { LockoutPolicyEntity } from './lockout-policy.entity.js';
import { LoginIdentifierEntity } from './login-identifier.entity.js';
import { LoginPolicyEntity } from './login-policy.entity.js';
import { LogoutEndpointEntity } from './logout-endpoint.entity.js';
import { LogoutNoticeEntity } from './logout-notice.entity.js';
import { MembershipEntity } from './membership.entity.js';
import { MessageTemplateEntity } from './message-template.entity.js';
import { NameAttemptsEntity } from './name-attempts.entity.js';
import { NotificationProviderHealthEntity } from './notification-provider-health.entity.js';
import { NotificationProviderEntity } from './notification-provider.entity.js';
import { NotificationEntity } from './notification.entity.js';
import { OidcSettingsEntity } from './oidc-settings.entity.js';
import { OrganizationCountEntity } from './organization-count.entity.js';
import { OrganizationDomainEntity, OrganizationEntity } from './organization.entity.js';
import { OutboxEntity } from './outbox.entity.js';
import { PasskeyChallengeEntity, PasskeyEntity } from './passkey.entity.js';
import { PasswordAttemptsEntity } from './password-attempts.entity.js';
import { PasswordPolicyEntity } from './password-policy.entity.js';
import { PersonalAccessTokenEntity } from './personal-access-token.entity.js';
import { ProjectGrantEntity, ProjectGrantRoleEntity } from './project-grant.entity.js';
import { ProjectRoleEntity } from './project-role.entity.js';
import { ProjectEntity } from './project.entity.js';
import { ProviderSessionEntity, ProviderSignOutEntity } from './provider-session.entity.js';
import { ProvisionedGroupEntity, ProvisionedUserEntity } from './provisioned.entity.js';
import { PushedRequestEntity } from './pushed-request.entity.js';
import { RefreshTokenEntity, RefreshTokenFamilyEntity } from './refresh-token.entity.js';
import { RegistrationEntity } from './registration.entity.js';
import { RevokedTokenEntity } from './revoked-token.entity.js';
import { RoleAssignmentEntity, RoleAssignmentRoleEntity } from './role-assignment.entity.js';
import { ScimTokenEntity } from './scim-token.entity.js';
import { SecuritySettingsEntity } from './security-settings.entity.js';
import { ServiceUserKeyEntity } from './service-user-key.entity.js';
import { SessionEntity } from './session.entity.js';
import { SigningKeyEntity } from './signing-key.entity.js';
import { SmsBlockEntity } from './sms-block.entity.js';
import { SmsQuotaEntity } from './sms-quota.entity.js';
import { SmsSendEntity } from './sms-send.entity.js';
import { TokenKeyEntity } from './token-key.entity.js';
import { TokenPolicyEntity } from './token-policy.entity.js';
import { TotpEnrolmentEntity } from './totp-enrolment.entity.js';
import { TrustedBrowserEntity } from './trusted-browser.entity.js';
import { UpkeepWalkEntity } from './upkeep-walk.entity.js';
import { UsedAssertionEntity } from './used-assertion.entity.js';
import { UsedProofEntity } from './used-proof.entity.js';
import { UsedProofsSinceEntity } from './used-proofs-since.entity.js';
import { UserAgentEntity } from './user-agent.entity.js';
import { UserCodeFactorEntity } from './user-code-factor.entity.js';
import { UserMetadataEntity } from './user-metadata.entity.js';
import {
  UserMigrationEntity,
  UserMigrationEntryEntity,
  UserMigrationNameEntity,
} from './user-migration.entity.js';
import { UserPasswordEntity } from './user-password.entity.js';
import { UserRecoveryCodeEntity } from './user-recovery-code.entity.js';
import { UserTotpSecretEntity } from './user-totp-secret.entity.js';
import { ServiceUserEntity, UserEntity, UserHumanEntity } from './user.entity.js';
import { VerificationCodeEntity } from './verification-code.entity.js';
import { WebhookDeadLetterEntity, WebhookEntity } from './webhook.entity.js';
import { WorkerEntity } from './worker.entity.js';

/** Every entity. Data only; they do not leave storage/. */
export const entities: (new () => object)[] = [
  DataKeyEntity,
  KeyScheduleEntity,
  KeySetReaderEntity,
  HeartbeatEntity,
  OrganizationEntity,
  OrganizationDomainEntity,
  UserEntity,
  UserHumanEntity,
  ServiceUserEntity,
  UserPasswordEntity,
  LoginIdentifierEntity,
  MembershipEntity,
  MessageTemplateEntity,
  PersonalAccessTokenEntity,
  VerificationCodeEntity,
  ProjectEntity,
  ApplicationEntity,
  InstanceEntity,
  UserAgentEntity,
  SessionEntity,
  AuthRequestEntity,
  PushedRequestEntity,
  DeviceAuthorizationEntity,
  AuthorizationEntity,
  CodeEntity,
  ConsentEntity,
  RefreshTokenFamilyEntity,
  RefreshTokenEntity,
  RevokedTokenEntity,
  SigningKeyEntity,
  TokenKeyEntity,
  EventEntity,
  OutboxEntity,
  NotificationEntity,
  NotificationProviderHealthEntity,
  LogoutNoticeEntity,
  IdempotencyKeyEntity,
  BrandingPolicyEntity,
  LoginPolicyEntity,
  PasswordAttemptsEntity,
  AlarmEntity,
  RegistrationEntity,
  UserMetadataEntity,
  PasswordPolicyEntity,
  LockoutPolicyEntity,
  TokenPolicyEntity,
  FactorPolicyEntity,
  FactorSettingsEntity,
  ServiceUserKeyEntity,
  PasskeyEntity,
  PasskeyChallengeEntity,
  ProjectRoleEntity,
  ProjectGrantEntity,
  ProjectGrantRoleEntity,
  RoleAssignmentEntity,
  RoleAssignmentRoleEntity,
  ApplicationKeyEntity,
  UsedAssertionEntity,
  UsedProofEntity,
  UsedProofsSinceEntity,
  OidcSettingsEntity,
  SecuritySettingsEntity,
  ImportEntity,
  ImportChunkEntity,
  ImportNameEntity,
  UserTotpSecretEntity,
  UserCodeFactorEntity,
  TotpEnrolmentEntity,
  TrustedBrowserEntity,
  UserRecoveryCodeEntity,
  NotificationProviderEntity,
  SmsQuotaEntity,
  SmsSendEntity,
  SmsBlockEntity,
  UpkeepWalkEntity,
  LogoutEndpointEntity,
  KnownIdEntity,
  OrganizationCountEntity,
  InstanceCountEntity,
  BulkActionEntity,
  BulkActionUserEntity,
  WorkerEntity,
  IdentityProviderEntity,
  UserIdentityEntity,
  ExternalSignInEntity,
  InitialAccessTokenEntity,
  ClientRegistrationEntity,
  ProviderSessionEntity,
  ProviderSignOutEntity,
  ScimTokenEntity,
  ProvisionedUserEntity,
  ProvisionedGroupEntity,
  WebhookEntity,
  WebhookDeadLetterEntity,
  UserMigrationEntity,
  UserMigrationEntryEntity,
  UserMigrationNameEntity,
  NameAttemptsEntity,
  ClaimsWebhookEntity,
];
