import type { JWK } from 'jose';
import type { ApiConfig, OidcConfig } from '../../applications/oidc-config.js';
import type { AttemptPolicy } from '../../passwords/attempts/attempt-policy.js';
import type { PasswordPolicy } from '../../passwords/password-policy.js';
import type { Role } from '../../permissions/permissions.js';
import type { FactorPolicy } from '../../policies/factor-policy.js';
import type { LoginPolicy } from '../../policies/login-policy.js';
import type { ProjectRole, ProjectSettings } from '../../projects/projects.store.js';
import { PASSES, type ImportPass } from './passes.js';

/** Client id and secret of the other system, which stay valid here. */
export interface ClientIdentity {
  readonly clientId?: string | undefined;
  /** SHA-256 of its secret, hexadecimal. */
  readonly secretHash?: string | undefined;
  readonly inactive?: true | undefined;
}

/** A public key that somebody signs assertions with. */
interface SuppliedKey {
  readonly keyId: string;
  readonly publicJwk: JWK;
  readonly expiresAt?: string | undefined;
}

/**
 * What a `dataOrgs` file has of an organization beside its users (protocol §2.1), read by the rules of the call that
 * makes such a thing by itself. It waits in chunks like users do, so all of it is JSON.
 */
export type OrganizationItem =
  | { readonly type: 'org'; readonly name: string; readonly primaryDomain?: string | undefined }
  | { readonly type: 'org_state' }
  | {
      readonly type: 'domain';
      readonly domain: string;
      readonly verified: boolean;
      readonly primary: boolean;
    }
  | { readonly type: 'password_complexity_policy'; readonly policy: PasswordPolicy }
  | { readonly type: 'lockout_policy'; readonly policy: AttemptPolicy }
  | { readonly type: 'login_policy'; readonly policy: LoginPolicy }
  | { readonly type: 'factor_policy'; readonly policy: FactorPolicy }
  /** As the call for branding takes it. */
  | { readonly type: 'label_policy' | 'privacy_policy'; readonly policy: BrandingFields }
  | { readonly type: 'project'; readonly projectId: string; readonly settings: ProjectSettings }
  | { readonly type: 'project_state'; readonly projectId: string }
  | { readonly type: 'project_role'; readonly projectId: string; readonly role: ProjectRole }
  | (ClientIdentity & {
      readonly type: 'oidc_app';
      readonly appId: string;
      readonly projectId: string;
      readonly name: string;
      readonly config: OidcConfig;
    })
  | (ClientIdentity & {
      readonly type: 'api_app';
      readonly appId: string;
      readonly projectId: string;
      readonly name: string;
      readonly config: ApiConfig;
    })
  | MetadataItem
  | (SuppliedKey & { readonly type: 'machine_user_key'; readonly userId: string })
  | (SuppliedKey & { readonly type: 'app_key'; readonly projectId: string; readonly appId: string })
  | {
      readonly type: 'project_grant';
      readonly grantId: string;
      readonly projectId: string;
      readonly grantedOrgId: string;
      readonly roleKeys: readonly string[];
      readonly inactive?: true | undefined;
    }
  | {
      readonly type: 'user_grant';
      readonly userId: string;
      readonly projectId: string;
      readonly projectGrantId?: string | undefined;
      readonly roleKeys: readonly string[];
      readonly inactive?: true | undefined;
    }
  | { readonly type: 'org_member'; readonly userId: string; readonly roles: readonly Role[] }
  | {
      readonly type: 'user_link';
      readonly userId: string;
      readonly idpId: string;
      readonly subject: string;
      readonly displayName: string;
    };

type ItemType = OrganizationItem['type'];

export interface MetadataItem {
  readonly type: 'user_metadata';
  readonly userId: string;
  readonly key: string;
  /** Base64. */
  readonly value: string;
}

/** Of the branding policy; a logo is base64 here. */
export interface BrandingFields {
  readonly displayName?: string | undefined;
  readonly accentColor?: string | undefined;
  readonly logo?: string | undefined;
  readonly defaultLanguage?: string | undefined;
  readonly helpUrl?: string | undefined;
  readonly privacyUrl?: string | undefined;
}

const PASS_OF: Readonly<Record<ItemType, ImportPass>> = {
  org: PASSES.organizations,
  domain: PASSES.domains,
  password_complexity_policy: PASSES.policies,
  lockout_policy: PASSES.policies,
  login_policy: PASSES.policies,
  factor_policy: PASSES.policies,
  label_policy: PASSES.policies,
  privacy_policy: PASSES.policies,
  project: PASSES.projects,
  project_role: PASSES.roles,
  oidc_app: PASSES.applications,
  api_app: PASSES.applications,
  user_metadata: PASSES.metadata,
  user_link: PASSES.keys,
  machine_user_key: PASSES.keys,
  app_key: PASSES.keys,
  project_grant: PASSES.projectGrants,
  user_grant: PASSES.grants,
  org_member: PASSES.members,
  org_state: PASSES.states,
  project_state: PASSES.states,
};

export function passOf(type: ItemType): ImportPass {
  return PASS_OF[type];
}

/** Reads what `itemJson` wrote, with the organization that the upload put beside it. */
export function readItemJson(json: string): { readonly orgId?: string; readonly item: OrganizationItem } {
  return JSON.parse(json) as { readonly orgId?: string; readonly item: OrganizationItem };
}

/** The ids that an item defines for new objects, by name; other ids only refer to existing ones. */
export function newIdsOf(
  item: OrganizationItem,
): readonly (readonly [name: string, id: string | undefined])[] {
  switch (item.type) {
    case 'project':
      return [['projectId', item.projectId]];
    case 'oidc_app':
    case 'api_app':
      return [
        ['appId', item.appId],
        ['clientId', item.clientId],
      ];
    case 'machine_user_key':
      return [['keyId', item.keyId]];
    case 'project_grant':
      return [['grantId', item.grantId]];
    case 'app_key':
      return [['id', item.keyId]];
    case 'org':
    case 'org_state':
    case 'domain':
    case 'password_complexity_policy':
    case 'lockout_policy':
    case 'login_policy':
    case 'factor_policy':
    case 'label_policy':
    case 'privacy_policy':
    case 'project_state':
    case 'project_role':
    case 'user_metadata':
    case 'user_link':
    case 'user_grant':
    case 'org_member':
      return [];
  }
}

export function itemJson(item: OrganizationItem): string {
  return JSON.stringify({ item });
}

/** How an answer identifies an item: its id in the file, and the names it consists of. */
export interface ItemNames {
  readonly id: string;
  readonly userId?: string;
  readonly projectId?: string;
  readonly key?: string;
  readonly idpId?: string;
  /** Of an identity, as its provider calls it. */
  readonly displayName?: string;
  /** What ended when somebody became a member. */
  readonly ended?: readonly { readonly kind: string; readonly id: string }[];
}

/** Nothing that is secret of an item is in its names. */
export function namesOf(item: OrganizationItem, orgId: string): ItemNames {
  switch (item.type) {
    case 'domain':
      return { id: `${orgId}_${item.domain}`, key: item.domain };
    case 'project':
    case 'project_state':
      return { id: item.projectId };
    case 'project_role':
      return { id: `${item.projectId}_${item.role.key}` };
    case 'oidc_app':
    case 'api_app':
      return { id: item.appId };
    case 'user_metadata':
      return { id: `${item.userId}_${item.key}`, userId: item.userId, key: item.key };
    case 'user_link':
      return {
        id: `${item.userId}_${item.idpId}`,
        userId: item.userId,
        idpId: item.idpId,
        key: item.subject,
        ...(item.displayName !== '' && { displayName: item.displayName }),
      };
    case 'machine_user_key':
    case 'app_key':
      return { id: item.keyId };
    case 'project_grant':
      return { id: item.grantId, projectId: item.projectId, key: item.grantedOrgId };
    case 'user_grant':
      return { id: `${item.userId}_${item.projectId}`, userId: item.userId, projectId: item.projectId };
    case 'org_member':
      return { id: `${orgId}_${item.userId}`, userId: item.userId };
    case 'org':
    case 'org_state':
    case 'password_complexity_policy':
    case 'lockout_policy':
    case 'login_policy':
    case 'factor_policy':
    case 'label_policy':
    case 'privacy_policy':
      return { id: orgId };
  }
}
