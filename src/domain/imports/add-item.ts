import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { ApplicationPlace } from '../applications/applications.store.js';
import { ChangeApplication } from '../applications/change-application.js';
import { CreateOidcApplication } from '../applications/create-oidc-application.js';
import { AddApplicationKey } from '../applications/keys/add-application-key.js';
import type { MadeCredential } from '../members/lower-made.store.js';
import { ManageMembers } from '../members/manage-members.js';
import { ManageDomains } from '../organizations/manage-domains.js';
import { ManageOrganizations } from '../organizations/manage-organizations.js';
import { OrganizationDomainsStore } from '../organizations/organization-domains.store.js';
import { OrganizationsStore } from '../organizations/organizations.store.js';
import type { Acting } from '../permissions/acting.js';
import { BrandingPolicies } from '../policies/branding-policies.js';
import type { BrandingPolicy } from '../policies/branding-policy.js';
import { LockoutPolicies } from '../policies/lockout-policies.js';
import { LoginPolicies } from '../policies/login-policies.js';
import { logoOf } from '../policies/logo.js';
import { PasswordPolicies } from '../policies/password-policies.js';
import { PoliciesStore } from '../policies/policies.store.js';
import type { SecurityPolicy, SecurityPolicyKind } from '../policies/security-policy.js';
import { ManageProjectGrants } from '../project-grants/manage-project-grants.js';
import { ChangeProject } from '../projects/change-project.js';
import { CreateProject } from '../projects/create-project.js';
import { ProjectRoles } from '../projects/project-roles.js';
import { ProjectsStore } from '../projects/projects.store.js';
import { ManageRoleAssignments } from '../role-assignments/manage-role-assignments.js';
import { ServiceUserKeys } from '../service-users/service-user-keys.js';
import { ApiError } from '../shared/errors.js';
import { requireGivenId } from '../shared/given-id.js';
import type {
  ApplicationId,
  ApplicationKeyId,
  ClientId,
  OrgId,
  ProjectGrantId,
  ProjectId,
  ServiceUserKeyId,
  UserId,
} from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { newIdsOf, type BrandingFields, type OrganizationItem } from './records/organization-items.js';

export interface ItemPlace extends Acting {
  readonly orgId: OrgId;
}

type Item<Type extends OrganizationItem['type']> = Extract<OrganizationItem, { readonly type: Type }>;

/** `there`: exactly so, already. `ended`: added, and a member's new roles ended what a lower rank had made. */
export type Added = 'added' | 'there' | { readonly ended: readonly MadeCredential[] };

/** Brings one thing of an organization in, by the use case that makes such a thing for anybody. */
@Injectable()
export class AddItem {
  constructor(
    private readonly organizations: ManageOrganizations,
    private readonly organizationRecords: OrganizationsStore,
    private readonly domains: ManageDomains,
    private readonly domainsStore: OrganizationDomainsStore,
    private readonly projects: CreateProject,
    private readonly changeProject: ChangeProject,
    private readonly projectsStore: ProjectsStore,
    private readonly roles: ProjectRoles,
    private readonly oidcApplications: CreateOidcApplication,
    private readonly applications: ChangeApplication,
    private readonly applicationKeys: AddApplicationKey,
    private readonly machineKeys: ServiceUserKeys,
    private readonly projectGrants: ManageProjectGrants,
    private readonly grants: ManageRoleAssignments,
    private readonly members: ManageMembers,
    private readonly passwordPolicies: PasswordPolicies,
    private readonly lockoutPolicies: LockoutPolicies,
    private readonly loginPolicies: LoginPolicies,
    private readonly branding: BrandingPolicies,
    private readonly policies: PoliciesStore,
  ) {}

  /** In a savepoint of its own. @throws ApiError as the use cases do */
  async execute(tx: Tx, place: ItemPlace, item: OrganizationItem): Promise<Added> {
    const { orgId, actorId, through } = place;
    for (const [name, id] of newIdsOf(item)) if (id !== undefined) requireGivenId(name, id);
    switch (item.type) {
      case 'org':
        return await this.organization(tx, place, item);
      case 'org_state':
        if ((await this.organizationRecords.find(orgId))?.state === 'inactive') return 'there';
        await this.organizations.deactivate(tx, orgId, actorId);
        return 'added';
      case 'domain':
        return await this.domain(tx, place, item);
      case 'password_complexity_policy':
        return await this.policy(tx, place, 'password', this.passwordPolicies, item.policy);
      case 'lockout_policy':
        return await this.policy(tx, place, 'lockout', this.lockoutPolicies, item.policy);
      case 'login_policy':
        return await this.policy(tx, place, 'login', this.loginPolicies, item.policy);
      case 'label_policy':
      case 'privacy_policy':
        return await this.addBranding(tx, place, item.policy);
      case 'project': {
        const project = { id: item.projectId as ProjectId, orgId, ...item.settings };
        await this.projects.execute(tx, project, actorId);
        return 'added';
      }
      case 'project_state': {
        const change = { orgId, projectId: item.projectId as ProjectId, actorId };
        if ((await this.projectsStore.find(orgId, change.projectId))?.state === 'inactive') return 'there';
        await this.changeProject.deactivate(tx, change);
        return 'added';
      }
      case 'project_role': {
        const at = { orgId, projectId: item.projectId as ProjectId };
        await this.roles.add(tx, at, item.role, actorId);
        return 'added';
      }
      case 'oidc_app':
        return await this.oidcApplication(tx, place, item);
      case 'api_app':
        return await this.apiApplication(tx, place, item);
      case 'app_key': {
        const { projectId, appId, keyId, publicJwk } = item;
        const at = { orgId, projectId: projectId as ProjectId, id: appId as ApplicationId };
        const prepared = await this.applicationKeys.prepare(at, publicJwk, timeOf(item));
        await this.applicationKeys.store(tx, at, prepared, place, keyId as ApplicationKeyId);
        return 'added';
      }
      case 'machine_user_key': {
        const change = { orgId, userId: item.userId as UserId, actorId, through };
        const prepared = await this.machineKeys.prepare(change, item.publicJwk, timeOf(item));
        await this.machineKeys.keep(tx, change, prepared, item.keyId as ServiceUserKeyId);
        return 'added';
      }
      case 'project_grant': {
        const { grantId, projectId, grantedOrgId, roleKeys } = item;
        const granted = { grantedOrgId: grantedOrgId as OrgId, roleKeys };
        const at = { id: grantId as ProjectGrantId, orgId, projectId: projectId as ProjectId };
        await this.projectGrants.add(tx, { ...at, ...granted }, actorId);
        return 'added';
      }
      case 'user_grant':
        return await this.grant(tx, place, item);
      case 'org_member': {
        const change = { place: orgId, orgId, userId: item.userId as UserId, actorId, through };
        const { ended } = await this.members.add(tx, change, item.roles);
        return ended.length === 0 ? 'added' : { ended };
      }
      case 'user_metadata':
        throw new Error('metadata is written for many users at once');
    }
  }

  private async organization(tx: Tx, { orgId, actorId }: ItemPlace, item: Item<'org'>): Promise<Added> {
    if ((await this.organizationRecords.find(orgId)) !== undefined) {
      throw new ApiError('already-exists', 'Organisation already exists', 'V3-DKcYh');
    }
    requireGivenId('orgId', orgId);
    const { name, primaryDomain } = item;
    await this.organizations.add(tx, { id: orgId, name, primaryDomain }, actorId);
    return 'added';
  }

  /** The primary one came with its organization, where that was made. */
  private async domain(tx: Tx, place: ItemPlace, item: Item<'domain'>): Promise<Added> {
    const { orgId } = place;
    const known = await this.domainsStore.find(orgId, item.domain);
    if (known?.verified === true && known.primary && item.primary) return 'there';
    await this.domains.add(tx, orgId, item.domain, place, item.verified);
    return 'added';
  }

  private async policy<Kind extends SecurityPolicyKind>(
    tx: Tx,
    place: ItemPlace,
    kind: Kind,
    policies: SecurityPolicy<Kind>,
    policy: Parameters<SecurityPolicy<Kind>['replace']>[2],
  ): Promise<Added> {
    const stored = await this.policies.find(kind, place.orgId, tx);
    if (stored === undefined) {
      await policies.replace(tx, place.orgId, policy, place);
      return 'added';
    }
    if (isDeepStrictEqual({ ...stored.policy }, { ...policy })) return 'there';
    throw new ApiError('already-exists', 'Policy already exists', 'V3-DKcYh');
  }

  /** Two policies on the wire are one of ours: each says its part of it. */
  private async addBranding(tx: Tx, { orgId, actorId }: ItemPlace, fields: BrandingFields): Promise<Added> {
    const before = (await this.policies.lockForUpdate(tx, 'branding', orgId)) ?? {};
    const given = brandingOf(fields);
    const known = Object.entries(given).filter(([name]) => name in before);
    if (known.some(([name, value]) => !isDeepStrictEqual(value, before[name as keyof BrandingPolicy]))) {
      throw new ApiError('already-exists', 'Policy already exists', 'V3-DKcYh');
    }
    if (known.length === Object.keys(given).length) return 'there';
    await this.branding.replace(tx, orgId, { ...before, ...given }, actorId);
    return 'added';
  }

  private async oidcApplication(tx: Tx, acting: ItemPlace, item: Item<'oidc_app'>): Promise<Added> {
    const { orgId, actorId } = acting;
    const { name, config, clientId } = item;
    const place: ApplicationPlace = {
      orgId,
      projectId: item.projectId as ProjectId,
      id: item.appId as ApplicationId,
    };
    const settings = { ...place, name, ...config };
    await this.oidcApplications.check(settings);
    const known = clientId === undefined ? {} : { clientId: clientId as ClientId };
    await this.oidcApplications.store(tx, { ...settings, ...known }, acting, secretOf(item));
    if (item.inactive === true) await this.applications.deactivate(tx, place, actorId);
    return 'added';
  }

  private async apiApplication(tx: Tx, { orgId, actorId }: ItemPlace, item: Item<'api_app'>): Promise<Added> {
    const { name, config } = item;
    const place: ApplicationPlace = {
      orgId,
      projectId: item.projectId as ProjectId,
      id: item.appId as ApplicationId,
    };
    const application = { ...place, name, ...config, clientId: item.clientId as ClientId | undefined };
    await this.applications.addApi(tx, application, actorId, secretOf(item));
    if (item.inactive === true) await this.applications.deactivate(tx, place, actorId);
    return 'added';
  }

  private async grant(tx: Tx, { orgId, actorId }: ItemPlace, item: Item<'user_grant'>): Promise<Added> {
    const [userId, projectId] = [item.userId as UserId, item.projectId as ProjectId];
    const projectGrantId = item.projectGrantId as ProjectGrantId | undefined;
    const grant = { orgId, userId, projectId, projectGrantId, roleKeys: item.roleKeys };
    const { id } = await this.grants.add(tx, grant, actorId);
    if (item.inactive === true) await this.grants.deactivate(tx, { orgId, userId, id }, actorId);
    return 'added';
  }
}

function timeOf({ expiresAt }: { readonly expiresAt?: string | undefined }): Date | undefined {
  return expiresAt === undefined ? undefined : new Date(expiresAt);
}

function secretOf({ secretHash }: { readonly secretHash?: string | undefined }): Buffer | undefined {
  return secretHash === undefined ? undefined : Buffer.from(secretHash, 'hex');
}

function brandingOf({ logo, ...fields }: BrandingFields): BrandingPolicy {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const picture = logo === undefined ? undefined : logoOf(Buffer.from(logo, 'base64'));
  return { ...Object.fromEntries(given), ...(picture && { logo: picture }) };
}
