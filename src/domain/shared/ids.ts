declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Ids are branded text, so that a user's id can never be handed in where an organization's is wanted. */
export type OrgId = Branded<'OrgId'>;
export type UserId = Branded<'UserId'>;
export type ProjectId = Branded<'ProjectId'>;
export type ApplicationId = Branded<'ApplicationId'>;
export type ApplicationKeyId = Branded<'ApplicationKeyId'>;
export type ClientId = Branded<'ClientId'>;
export type SessionId = Branded<'SessionId'>;
export type DeviceAuthorizationId = Branded<'DeviceAuthorizationId'>;
export type UserAgentId = Branded<'UserAgentId'>;
export type AuthRequestId = Branded<'AuthRequestId'>;
export type ProjectGrantId = Branded<'ProjectGrantId'>;
export type RoleAssignmentId = Branded<'RoleAssignmentId'>;
export type AuthorizationId = Branded<'AuthorizationId'>;
export type NotificationId = Branded<'NotificationId'>;
export type ProviderId = Branded<'ProviderId'>;
export type IdentityProviderId = Branded<'IdentityProviderId'>;
export type UserIdentityId = Branded<'UserIdentityId'>;
export type RegistrationId = Branded<'RegistrationId'>;
export type LogoutNoticeId = Branded<'LogoutNoticeId'>;
export type ServiceUserKeyId = Branded<'ServiceUserKeyId'>;
export type PersonalAccessTokenId = Branded<'PersonalAccessTokenId'>;
export type ScimTokenId = Branded<'ScimTokenId'>;
export type InitialAccessTokenId = Branded<'InitialAccessTokenId'>;
export type PasskeyId = Branded<'PasskeyId'>;
export type ImportJobId = Branded<'ImportJobId'>;
export type BulkActionId = Branded<'BulkActionId'>;
export type WebhookId = Branded<'WebhookId'>;
export type WebhookDeadLetterId = Branded<'WebhookDeadLetterId'>;

/** What an id can look like, ours and those that others bring along: what looks otherwise never reaches the database. */
export const ID_FORM = /^[!-~]{1,200}$/;

export function isId(text: string): boolean {
  return ID_FORM.test(text);
}
