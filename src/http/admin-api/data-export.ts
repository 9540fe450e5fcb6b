import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { JWK } from 'jose';
import {
  ApplicationsStore,
  type ApplicationRecord,
  type ApplicationType,
} from '../../domain/applications/applications.store.js';
import { ExportStore, type ExportedUser } from '../../domain/imports/export.store.js';
import { MembersStore } from '../../domain/members/members.store.js';
import {
  OrganizationsStore,
  type OrganizationRecord,
} from '../../domain/organizations/organizations.store.js';
import { BrandingPolicies } from '../../domain/policies/branding-policies.js';
import { LockoutPolicies } from '../../domain/policies/lockout-policies.js';
import { LoginPolicies } from '../../domain/policies/login-policies.js';
import { PasswordPolicies } from '../../domain/policies/password-policies.js';
import { ProjectGrantsStore } from '../../domain/project-grants/project-grants.store.js';
import { ProjectsStore } from '../../domain/projects/projects.store.js';
import type { ApplicationId, OrgId } from '../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../domain/shared/page.js';
import { applicationAnswer } from '../shared/application.schemas.js';
import { humanAnswer } from '../shared/human.schemas.js';
import { shownLockoutPolicy, shownPasswordPolicy } from '../shared/policy.schemas.js';
import { userState } from '../shared/user.schemas.js';
import { SECRET_PREFIX } from './data-item-fields.js';

export interface WantedData {
  /** Empty for all. */
  readonly orgIds: readonly string[];
  readonly excludedOrgIds: readonly string[];
  /** And secrets of clients: as hashes. */
  readonly withPasswords: boolean;
  readonly withOtp: boolean;
}

const PAGE = 500;

/**
 * Organizations in the form that `dataOrgs` takes (protocol §2.2), as text that is made while it is sent: one page of
 * anything is in memory at a time. In the order of ids, or of when things were made, so that the same data gives the
 * same text.
 */
@Injectable()
export class DataExport {
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly projects: ProjectsStore,
    private readonly applications: ApplicationsStore,
    private readonly projectGrants: ProjectGrantsStore,
    private readonly members: MembersStore,
    private readonly passwordPolicies: PasswordPolicies,
    private readonly lockoutPolicies: LockoutPolicies,
    private readonly loginPolicies: LoginPolicies,
    private readonly branding: BrandingPolicies,
    private readonly store: ExportStore,
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

  private async *organization(org: OrganizationRecord, wanted: WantedData): AsyncGenerator<string> {
    const { id, name, state } = org;
    yield `{"orgId":${JSON.stringify(id)},"org":${JSON.stringify({ name })}`;
    if (state === 'inactive') yield ',"orgState":"ORG_STATE_INACTIVE"';
    for (const [policy, value] of Object.entries(await this.policiesOf(id))) {
      yield `,"${policy}":${JSON.stringify(value)}`;
    }
    yield* member('domains', this.domainsOf(id));
    yield* member('projects', this.projectsOf(id));
    yield* member('projectRoles', this.rolesOf(id));
    yield* member('oidcApps', this.applicationsOf(id, 'oidc', wanted));
    yield* member('apiApps', this.applicationsOf(id, 'api', wanted));
    yield* member('humanUsers', this.usersOf(id, 'human', wanted));
    yield* member('machineUsers', this.usersOf(id, 'machine', wanted));
    yield* member('userMetadata', this.metadataOf(id));
    yield* member('machineKeys', this.machineKeysOf(id));
    yield* member('appKeys', this.applicationKeysOf(id));
    yield* member('projectGrants', this.projectGrantsOf(id));
    yield* member('userGrants', this.grantsOf(id));
    yield* member('orgMembers', this.membersOf(id));
    yield '}';
  }

  /** Those that the organization has set. */
  private async policiesOf(orgId: OrgId): Promise<Readonly<Record<string, object>>> {
    const password = await this.passwordPolicies.findStored(orgId);
    const lockout = await this.lockoutPolicies.findStored(orgId);
    const login = await this.loginPolicies.findStored(orgId);
    const { logo, ...branding } = (await this.branding.findStored(orgId))?.policy ?? {};
    const { accentColor: primaryColor, displayName, defaultLanguage } = branding;
    const label = { primaryColor, displayName, logo: logo?.content.toString('base64'), defaultLanguage };
    const privacy = { privacyLink: branding.privacyUrl, helpLink: branding.helpUrl };
    return {
      ...(password && { passwordComplexityPolicy: shownPasswordPolicy.parse(password.policy) }),
      ...(lockout && { lockoutPolicy: shownLockoutPolicy.parse(lockout.policy) }),
      ...(login && { loginPolicy: login.policy }),
      ...(saysSomething(label) && { labelPolicy: label }),
      ...(saysSomething(privacy) && { privacyPolicy: privacy }),
    };
  }

  private async *domainsOf(orgId: OrgId): AsyncGenerator<object> {
    for await (const one of each((page) => this.organizations.listDomains(orgId, page))) {
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
        ...(project.state === 'inactive' && { state: 'PROJECT_STATE_INACTIVE' }),
      };
    }
  }

  private async *rolesOf(orgId: OrgId): AsyncGenerator<object> {
    for await (const { id: projectId } of each((page) => this.projects.list(orgId, page))) {
      for await (const role of each((page) => this.projects.listRoles({ orgId, projectId }, page))) {
        const { key: roleKey, displayName, group } = role;
        yield { projectId, roleKey, displayName, ...nonZero({ group }) };
      }
    }
  }

  private async *applicationsOf(
    orgId: OrgId,
    type: ApplicationType,
    { withPasswords }: WantedData,
  ): AsyncGenerator<object> {
    for await (const { id: projectId } of each((page) => this.projects.list(orgId, page))) {
      const pages = pagesOf((page) => this.applications.list(orgId, projectId, page));
      for await (const page of pages) {
        const wanted = page.filter((application) => application.type === type);
        const ids = wanted.map(({ id }) => id);
        const hashes = withPasswords
          ? await this.store.secretHashes(orgId, ids)
          : new Map<ApplicationId, Buffer>();
        for (const application of wanted) {
          yield {
            appId: application.id,
            app: { projectId, ...appOf(application) },
            clientId: application.clientId,
            ...hashedSecret(hashes.get(application.id)),
            ...(application.state === 'inactive' && { state: 'APP_STATE_INACTIVE' }),
          };
        }
      }
    }
  }

  private async *usersOf(
    orgId: OrgId,
    kind: 'human' | 'machine',
    { withPasswords, withOtp }: WantedData,
  ): AsyncGenerator<object> {
    const asked = { kind, withPasswords, withTotpSecrets: withOtp };
    const users = following(
      async (last: ExportedUser | undefined) => await this.store.users(orgId, asked, last?.user.id ?? ''),
    );
    for await (const exported of users) {
      const { user } = exported;
      yield {
        userId: user.id,
        user: { userName: user.userName, ...personOrMachine(exported) },
        state: userState.parse(user.state),
        createdAt: user.details.createdAt.toISOString(),
      };
    }
  }

  private async *metadataOf(orgId: OrgId): AsyncGenerator<object> {
    const start = { userId: '', key: '' };
    for await (const { userId, key, value } of following(
      async (last: typeof start | undefined) => await this.store.metadata(orgId, last ?? start),
    )) {
      yield { id: userId, key, value: value.toString('base64') };
    }
  }

  private async *machineKeysOf(orgId: OrgId): AsyncGenerator<object> {
    const start = { userId: '', id: '' };
    for await (const { id: keyId, userId, ...key } of following(
      async (last: typeof start | undefined) => await this.store.machineKeys(orgId, last ?? start),
    )) {
      yield { keyId, userId, ...keyOf(key) };
    }
  }

  private async *applicationKeysOf(orgId: OrgId): AsyncGenerator<object> {
    const start = { applicationId: '', id: '' };
    for await (const { id, projectId, applicationId: appId, clientId, ...key } of following(
      async (last: typeof start | undefined) => await this.store.applicationKeys(orgId, last ?? start),
    )) {
      yield { id, projectId, appId, clientId, ...keyOf(key) };
    }
  }

  private async *projectGrantsOf(orgId: OrgId): AsyncGenerator<object> {
    for await (const { id: projectId } of each((page) => this.projects.list(orgId, page))) {
      for await (const grant of each((page) => this.projectGrants.list(orgId, projectId, page))) {
        const { id: grantId, grantedOrgId, roleKeys } = grant;
        const keys = roleKeys.length > 0 && { roleKeys };
        yield { grantId, projectGrant: { projectId, grantedOrgId, ...keys } };
      }
    }
  }

  private async *grantsOf(orgId: OrgId): AsyncGenerator<object> {
    const start = { userId: '', projectId: '' };
    for await (const { userId, projectId, projectGrantId, roleKeys, state } of following(
      async (last: typeof start | undefined) => await this.store.grants(orgId, last ?? start),
    )) {
      const resting = state === 'inactive' && { state: 'USER_GRANT_STATE_INACTIVE' };
      const granted = projectGrantId !== undefined && { projectGrantId };
      yield { userId, projectId, ...granted, ...(roleKeys.length > 0 && { roleKeys }), ...resting };
    }
  }

  private async *membersOf(orgId: OrgId): AsyncGenerator<object> {
    for await (const { userId, userOrgId, roles } of each((page) => this.members.list(orgId, page))) {
      if (userOrgId === orgId) yield { userId, roles: [...roles].sort() };
    }
  }
}

/** The pages of a list, oldest first. */
async function* pagesOf<Item>(
  list: (page: PageQuery) => Promise<Page<Item>>,
): AsyncGenerator<readonly Item[]> {
  for (let offset = 0; ; offset += PAGE) {
    const { items } = await list({ offset, limit: PAGE, ascending: true });
    yield items;
    if (items.length < PAGE) return;
  }
}

async function* each<Item>(list: (page: PageQuery) => Promise<Page<Item>>): AsyncGenerator<Item> {
  for await (const items of pagesOf(list)) yield* items;
}

/** Everything there is, each page asked for by the last item of the one before. */
async function* following<Item extends Last, Last>(
  next: (last: Last | undefined) => Promise<readonly Item[]>,
): AsyncGenerator<Item> {
  for (let page = await next(undefined); page.length > 0; page = await next(page.at(-1))) yield* page;
}

/** A member whose value is a list; left out when that is empty (protocol §0.1). */
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

function saysSomething(fields: object): boolean {
  return Object.values(fields).some((value) => value !== undefined);
}

function appOf(application: ApplicationRecord): object {
  const { name, oidcConfig, apiConfig } = applicationAnswer.parse(application);
  const { clientId: _, ...config } = oidcConfig ?? apiConfig ?? { clientId: '' };
  const told = new Set(['allowedOrigins', 'noneCompliant', 'complianceProblems']);
  const kept = Object.entries(config).filter(([field]) => !told.has(field));
  return { name, ...Object.fromEntries(kept) };
}

function hashedSecret(hash: Buffer | undefined): object {
  return hash === undefined ? {} : { hashedClientSecret: { value: SECRET_PREFIX + hash.toString('hex') } };
}

/** As a PEM; one that is bound to an algorithm as the JWK that says so. */
function keyOf({ publicJwk, expiresAt }: { readonly publicJwk: JWK; readonly expiresAt: Date }): object {
  const text =
    publicJwk.alg === undefined
      ? createPublicKey({ key: publicJwk as JsonWebKey, format: 'jwk' }).export({
          type: 'spki',
          format: 'pem',
        })
      : JSON.stringify(publicJwk);
  return {
    type: 'KEY_TYPE_JSON',
    expirationDate: expiresAt.toISOString(),
    publicKey: Buffer.from(text).toString('base64'),
  };
}

function personOrMachine({ user, passwordHash, totpSecret, secretHash }: ExportedUser): object {
  if (user.type === 'human') {
    return {
      ...humanAnswer.parse(user),
      ...(passwordHash !== undefined && { hashedPassword: { value: passwordHash } }),
      ...(totpSecret !== undefined && { otpCode: totpSecret }),
    };
  }
  const { name, description = '', accessTokenType } = user;
  const jwt = accessTokenType === 'jwt' && { accessTokenType: 'ACCESS_TOKEN_TYPE_JWT' };
  return { name, ...nonZero({ description }), ...jwt, ...hashedSecret(secretHash) };
}
