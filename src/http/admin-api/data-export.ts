import { Injectable } from '@nestjs/common';
import { UserMetadataStore } from '../../domain/accounts/user-metadata.store.js';
import { UserSearchStore } from '../../domain/accounts/user-search.store.js';
import { ApplicationRecordsStore } from '../../domain/clients/application-records.store.js';
import { ProjectRolesStore } from '../../domain/clients/project-roles.store.js';
import { ProjectsStore } from '../../domain/clients/projects.store.js';
import { MembersStore } from '../../domain/members/members.store.js';
import { OrganizationDomainsStore } from '../../domain/orgs/organization-domains.store.js';
import {
  type OrganizationRecord,
  OrganizationRecordsStore,
} from '../../domain/orgs/organization-records.store.js';
import { PasswordsStore } from '../../domain/passwords/passwords.store.js';
import type { OrgId, UserId } from '../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../domain/shared/page.js';
import type { HumanUser, User } from '../../domain/users/user.js';
import { UserGrantsStore } from '../../domain/user-grants/user-grants.store.js';
import { applicationResponse } from '../management-api/application-response.js';
import { GENDERS, STATES } from '../management-api/user-response.js';

export interface WantedData {
  /** Empty for all. */
  readonly orgIds: readonly string[];
  readonly excludedOrgIds: readonly string[];
  readonly withPasswords: boolean;
}

const PAGE = 500;

/**
 * Organizations in the form that `dataOrgs` takes (contract §2.2), as text that is made while it is sent: one page of
 * users is in memory at a time. Ordered by when things were made, so that the same data gives the same text.
 */
@Injectable()
export class DataExport {
  constructor(
    private readonly organizations: OrganizationRecordsStore,
    private readonly domains: OrganizationDomainsStore,
    private readonly projects: ProjectsStore,
    private readonly roles: ProjectRolesStore,
    private readonly applications: ApplicationRecordsStore,
    private readonly users: UserSearchStore,
    private readonly passwords: PasswordsStore,
    private readonly metadata: UserMetadataStore,
    private readonly grants: UserGrantsStore,
    private readonly members: MembersStore,
  ) {}

  async *write(wanted: WantedData): AsyncGenerator<string> {
    yield '{"orgs":[';
    let first = true;
    for await (const org of each((page) => this.organizations.list(page))) {
      const { orgIds, excludedOrgIds } = wanted;
      if ((orgIds.length > 0 && !orgIds.includes(org.id)) || excludedOrgIds.includes(org.id)) continue;
      yield first ? '' : ',';
      first = false;
      yield* this.organization(org, wanted);
    }
    yield ']}';
  }

  private async *organization({ id, name }: OrganizationRecord, wanted: WantedData): AsyncGenerator<string> {
    yield `{"orgId":${JSON.stringify(id)},"org":${JSON.stringify({ name })}`;
    yield* member('domains', this.domainsOf(id));
    yield* member('projects', this.projectsOf(id));
    yield* member('projectRoles', this.rolesOf(id));
    yield* member('oidcApps', this.oidcAppsOf(id));
    yield* member('humanUsers', this.humansOf(id, wanted.withPasswords));
    yield* member('machineUsers', this.machinesOf(id));
    yield* member('userMetadata', this.metadataOf(id));
    yield* member('userGrants', this.grantsOf(id));
    yield* member('orgMembers', this.membersOf(id));
    yield '}';
  }

  private async *domainsOf(orgId: OrgId): AsyncGenerator<object> {
    for await (const one of each((page) => this.domains.list(orgId, page))) {
      yield {
        orgId,
        domainName: one.domain,
        ...(one.verified && { isVerified: true }),
        ...(one.primary && { isPrimary: true }),
      };
    }
  }

  private async *projectsOf(orgId: OrgId): AsyncGenerator<object> {
    for await (const project of each((page) => this.projects.list(orgId, page))) {
      const { projectRoleAssertion, projectRoleCheck, hasProjectCheck, privateLabelingSetting } = project;
      const settings = { projectRoleAssertion, projectRoleCheck, hasProjectCheck };
      const isSet = privateLabelingSetting !== 'PRIVATE_LABELING_SETTING_UNSPECIFIED';
      yield {
        projectId: project.id,
        project: { name: project.name, ...nonZero(settings), ...(isSet && { privateLabelingSetting }) },
      };
    }
  }

  private async *rolesOf(orgId: OrgId): AsyncGenerator<object> {
    for await (const { id: projectId } of each((page) => this.projects.list(orgId, page))) {
      for await (const role of each((page) => this.roles.list({ orgId, projectId }, page))) {
        const { key: roleKey, displayName, group } = role;
        yield { projectId, roleKey, displayName, ...nonZero({ group }) };
      }
    }
  }

  private async *oidcAppsOf(orgId: OrgId): AsyncGenerator<object> {
    for await (const { id: projectId } of each((page) => this.projects.list(orgId, page))) {
      for await (const application of each((page) => this.applications.list(orgId, projectId, page))) {
        const { id: appId, name, oidcConfig } = applicationResponse(application);
        if (oidcConfig === undefined) continue;
        const {
          clientId: _,
          allowedOrigins: __,
          noneCompliant: ___,
          complianceProblems: ____,
          ...config
        } = oidcConfig;
        yield { appId, app: { projectId, name, ...config } };
      }
    }
  }

  private async *humansOf(orgId: OrgId, withPasswords: boolean): AsyncGenerator<object> {
    for await (const user of this.usersOf(orgId, 'human')) {
      if (user.is.kind !== 'human') continue;
      const hash = withPasswords ? (await this.passwords.findByUser(user.id))?.hash : undefined;
      const hashed = hash === undefined ? {} : { hashedPassword: { value: hash } };
      yield {
        userId: user.id,
        user: { userName: user.userName, ...human(user.is), ...hashed },
        state: STATES[user.state],
      };
    }
  }

  private async *machinesOf(orgId: OrgId): AsyncGenerator<object> {
    for await (const user of this.usersOf(orgId, 'machine')) {
      if (user.is.kind !== 'machine') continue;
      const { name, description = '', accessTokenType } = user.is;
      const jwt = accessTokenType === 'jwt' && { accessTokenType: 'ACCESS_TOKEN_TYPE_JWT' };
      const fields = { userName: user.userName, name, ...nonZero({ description }), ...jwt };
      yield { userId: user.id, user: fields, state: STATES[user.state] };
    }
  }

  private async *metadataOf(orgId: OrgId): AsyncGenerator<object> {
    for await (const { id } of this.usersOf(orgId)) {
      for await (const one of each((page) => this.metadata.list(orgId, id, '', page))) {
        yield { id, key: one.key, value: one.value.toString('base64') };
      }
    }
  }

  private async *grantsOf(orgId: OrgId): AsyncGenerator<object> {
    for await (const { id: userId } of this.usersOf(orgId)) {
      for await (const { projectId, roleKeys } of each((page) => this.grants.list(orgId, userId, page))) {
        yield { userId, projectId, ...(roleKeys.length > 0 && { roleKeys }) };
      }
    }
  }

  private async *membersOf(orgId: OrgId): AsyncGenerator<object> {
    for await (const { userId, userOrgId, roles } of each((page) => this.members.list(orgId, page))) {
      if (userOrgId === orgId) yield { userId, roles: [...roles].sort() };
    }
  }

  private usersOf(orgId: OrgId, type?: 'human' | 'machine'): AsyncGenerator<User & { readonly id: UserId }> {
    const filters = type === undefined ? [] : [{ field: 'type', value: type } as const];
    return each((page) => this.users.search(orgId, filters, page));
  }
}

/** Everything in a list, oldest first, a page at a time. */
async function* each<Item>(list: (page: PageQuery) => Promise<Page<Item>>): AsyncGenerator<Item> {
  for (let offset = 0; ; offset += PAGE) {
    const { items } = await list({ offset, limit: PAGE, ascending: true });
    yield* items;
    if (items.length < PAGE) return;
  }
}

/** A member whose value is a list; left out when that is empty (contract §0.1). */
async function* member(name: string, items: AsyncIterable<object>): AsyncGenerator<string> {
  let begun = false;
  for await (const item of items) {
    yield `${begun ? ',' : `,"${name}":[`}${JSON.stringify(item)}`;
    begun = true;
  }
  if (begun) yield ']';
}

function nonZero<Fields extends object>(fields: Fields): Partial<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== '' && value !== false);
  return Object.fromEntries(entries) as Partial<Fields>;
}

function human({ profile, email, phone }: HumanUser): object {
  const { gender, profileUrl, pictureUrl, websiteUrl, address, ...names } = profile;
  const urls = { profile: profileUrl, picture: pictureUrl, website: websiteUrl };
  const { street: streetAddress, ...place } = address ?? {};
  return {
    profile: {
      ...names,
      ...(gender !== undefined && { gender: GENDERS[gender] }),
      ...urls,
      ...(address !== undefined && { address: { ...place, streetAddress } }),
    },
    email: { email: email.address, ...(email.verified && { isEmailVerified: true }) },
    ...(phone && { phone: { phone: phone.number, ...(phone.verified && { isPhoneVerified: true }) } }),
  };
}
