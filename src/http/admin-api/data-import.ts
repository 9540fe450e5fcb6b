import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ChangeUserMetadata } from '../../domain/accounts/user-metadata.js';
import { CreateOidcApplication } from '../../domain/clients/create-oidc-application.js';
import { CreateProject } from '../../domain/clients/create-project.js';
import { ProjectRoles } from '../../domain/clients/project-roles.js';
import { ENDED_STATES, type ImportJob } from '../../domain/import-jobs/import-job.js';
import { ImportJobs } from '../../domain/import-jobs/import-jobs.js';
import { ManageMembers } from '../../domain/members/manage-members.js';
import { ManageDomains } from '../../domain/orgs/manage-domains.js';
import { ManageOrganizations } from '../../domain/orgs/manage-organizations.js';
import { OrganizationRecordsStore } from '../../domain/orgs/organization-records.store.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { ApplicationId, OrgId, ProjectId, UserId } from '../../domain/shared/ids.js';
import { Log } from '../../domain/shared/log.js';
import { type Tx, UnitOfWork } from '../../domain/shared/unit-of-work.js';
import { ManageUserGrants } from '../../domain/user-grants/manage-user-grants.js';
import { readOidcApplication } from '../management-api/oidc-application-body.js';
import { type DataItem, type DataOrg, readItem, typeOf } from './data-items.js';

export interface ItemError {
  readonly type: string;
  readonly id: string;
  /** `ID=<id> Message=<text>` */
  readonly message: string;
}

/** What came in of one organization; lists that are empty are left out (contract §0.1). */
export interface ImportedOrg {
  readonly orgId: string;
  humanUserIds?: string[];
  machineUserIds?: string[];
  projectIds?: string[];
  projectRoles?: string[];
  oidcAppIds?: string[];
  userMetadata?: { userId: string; key: string }[];
  userGrants?: { projectId: string; userId: string }[];
  orgMembers?: string[];
  domains?: string[];
}

export interface ImportedData {
  readonly errors?: readonly ItemError[];
  readonly success: { readonly orgs?: readonly ImportedOrg[] };
}

/** Passes of contract §2.1 that need no user of the file, and those that do. */
const BEFORE_USERS = ['projects', 'oidcApps', 'projectRoles'] as const;
const AFTER_USERS = [['userMetadata'], ['userGrants'], ['orgMembers']] as const;
const KNOWN = new Set<string>(['org', 'domains', ...BEFORE_USERS, ...AFTER_USERS.flat()]);

const LOOK_EVERY_MS = 200;

/**
 * Brings whole organizations in, as well as it can: every thing is a change of its own, and one that is refused is
 * reported and takes nothing else with it. Bringing the same in again does no harm.
 */
@Injectable()
export class DataImport {
  constructor(
    readonly unitOfWork: UnitOfWork,
    readonly imports: ImportJobs,
    readonly organizations: ManageOrganizations,
    readonly records: OrganizationRecordsStore,
    readonly domains: ManageDomains,
    readonly projects: CreateProject,
    readonly roles: ProjectRoles,
    readonly applications: CreateOidcApplication,
    readonly metadata: ChangeUserMetadata,
    readonly grants: ManageUserGrants,
    readonly members: ManageMembers,
    readonly log: Log,
  ) {}

  run(orgs: readonly DataOrg[], actorId: UserId): DataImportRun {
    return new DataImportRun(this, orgs, actorId);
  }
}

/** One body on its way in. */
export class DataImportRun {
  private readonly errors: ItemError[] = [];
  private readonly found = new Map<string, ImportedOrg>();

  constructor(
    private readonly by: DataImport,
    private readonly orgs: readonly DataOrg[],
    private readonly actorId: UserId,
  ) {}

  /** Organizations and what no user is needed for. */
  async beforeUsers(): Promise<void> {
    for (const org of this.orgs) {
      await this.organization(org);
      for (const name of BEFORE_USERS) await this.list(org, name);
      for (const { name, path } of org.items) {
        if (!KNOWN.has(name))
          this.fail(typeOf(name), path, new ApiError('invalid-argument', 'Errors.NotSupported'));
      }
    }
  }

  /** Waits for the import of the users, and brings in what hangs on them. */
  async afterUsers(job: ImportJob, machines: ReadonlySet<number>): Promise<ImportedData> {
    await this.users(await this.ended(job), machines);
    for (const names of AFTER_USERS) {
      for (const org of this.orgs) for (const name of names) await this.list(org, name);
    }
    const orgs = [...this.found.values()];
    return {
      ...(this.errors.length > 0 && { errors: this.errors }),
      success: orgs.length > 0 ? { orgs } : {},
    };
  }

  private async ended(job: ImportJob): Promise<ImportJob> {
    let seen = job;
    // nothing to do is nothing to wait for
    while (seen.total !== 0 && !ENDED_STATES.includes(seen.state)) {
      await wait(LOOK_EVERY_MS, undefined, { ref: false });
      seen = await this.by.imports.find(job.orgId, job.id);
    }
    return seen;
  }

  private async users(job: ImportJob, machines: ReadonlySet<number>): Promise<void> {
    for await (const outcome of this.by.imports.results(job.orgId, job.id)) {
      const { line, userId, givenId, orgId, code, message = '' } = outcome;
      const isMachine = machines.has(line);
      if (outcome.outcome === 'created' && userId !== undefined) {
        push(this.of(orgId ?? job.orgId), isMachine ? 'machineUserIds' : 'humanUserIds', userId);
        continue;
      }
      const type = isMachine ? 'machine_user' : 'human_user';
      const known =
        code === 'already_exists' ? 'ID=V3-DKcYh Message=Errors.User.AlreadyExists' : told(message);
      this.errors.push({ type, id: givenId ?? `line ${line}`, message: known });
    }
    if (job.state === 'done' || job.total === 0) return;
    const text = `the import of users is ${job.state}`;
    this.fail('human_user', job.id, new ApiError('failed-precondition', text));
  }

  private async organization({ orgId, items }: DataOrg): Promise<void> {
    const org = items.find(({ name }) => name === 'org');
    const domains = items
      .filter(({ name }) => name === 'domains')
      .flatMap((item) => {
        const domain = this.reading('domain', item, readItem.domain);
        return domain === undefined ? [] : [domain];
      });
    const primary = domains.find(({ isPrimary }) => isPrimary)?.domainName;
    const named = org && this.reading('org', org, readItem.org);
    let made = false;
    if (named !== undefined) {
      made = await this.attempt('org', orgId, async (tx) => {
        const organization = { id: orgId as OrgId, name: named.name, primaryDomain: primary };
        await this.by.organizations.add(tx, organization, this.actorId);
      });
      if (made) this.of(orgId);
    }
    for (const { domainName } of domains) {
      // the primary one came with the organization
      const isThere = made && domainName === primary;
      const added =
        isThere ||
        (await this.attempt('domain', `${orgId}_${domainName}`, async (tx) => {
          await this.by.domains.add(tx, orgId as OrgId, domainName, this.actorId);
        }));
      if (added) push(this.of(orgId), 'domains', domainName);
    }
  }

  private async list(
    org: DataOrg,
    name: (typeof BEFORE_USERS)[number] | (typeof AFTER_USERS)[number][number],
  ) {
    const orgId = org.orgId as OrgId;
    for (const item of org.items) if (item.name === name) await this.item(orgId, name, item);
  }

  private async item(
    orgId: OrgId,
    name: (typeof BEFORE_USERS)[number] | (typeof AFTER_USERS)[number][number],
    item: DataItem,
  ): Promise<void> {
    const { by, actorId } = this;
    switch (name) {
      case 'projects': {
        const read = this.reading('project', item, readItem.project);
        if (read === undefined) return;
        const project = { id: read.projectId as ProjectId, orgId, ...read.project };
        const done = await this.attempt('project', read.projectId, async (tx) => {
          await by.projects.execute(tx, project, actorId);
        });
        if (done) push(this.of(orgId), 'projectIds', read.projectId);
        return;
      }
      case 'projectRoles': {
        const read = this.reading('project_role', item, readItem.role);
        if (read === undefined) return;
        const { roleKey: key, displayName, group } = read.role;
        const id = `${read.projectId}_${key}`;
        const place = { orgId, projectId: read.projectId as ProjectId };
        const done = await this.attempt('project_role', id, async (tx) => {
          await by.roles.add(tx, place, { key, displayName, group }, actorId);
        });
        if (done) push(this.of(orgId), 'projectRoles', id);
        return;
      }
      case 'oidcApps': {
        const read = this.reading('oidc_app', item, readItem.oidcApp);
        if (read === undefined) return;
        const done = await this.attempt('oidc_app', read.appId, async (tx) => {
          const settings = readOidcApplication(orgId, read.projectId as ProjectId, read.body);
          await by.applications.check(settings);
          await by.applications.store(tx, { ...settings, id: read.appId as ApplicationId }, actorId);
        });
        if (done) push(this.of(orgId), 'oidcAppIds', read.appId);
        return;
      }
      case 'userMetadata': {
        const read = this.reading('user_metadata', item, readItem.metadata);
        if (read === undefined) return;
        const { userId, key, value } = read;
        const change = { orgId, userId: userId as UserId, actorId };
        const done = await this.attempt('user_metadata', `${userId}_${key}`, async (tx) => {
          await by.metadata.set(tx, change, key, value);
        });
        if (done) push(this.of(orgId), 'userMetadata', { userId, key });
        return;
      }
      case 'userGrants': {
        const read = this.reading('user_grant', item, readItem.grant);
        if (read === undefined) return;
        const { userId, projectId, roleKeys } = read;
        const grant = { orgId, userId: userId as UserId, projectId: projectId as ProjectId, roleKeys };
        const done = await this.attempt('user_grant', `${userId}_${projectId}`, async (tx) => {
          await by.grants.add(tx, grant, actorId);
        });
        if (done) push(this.of(orgId), 'userGrants', { projectId, userId });
        return;
      }
      case 'orgMembers': {
        const read = this.reading('org_member', item, readItem.member);
        if (read === undefined) return;
        const change = { place: orgId, orgId, userId: read.userId as UserId, actorId };
        const done = await this.attempt('org_member', `${orgId}_${read.userId}`, async (tx) => {
          await by.members.add(tx, change, read.roles);
        });
        if (done) push(this.of(orgId), 'orgMembers', read.userId);
      }
    }
  }

  private reading<Read>(type: string, item: DataItem, read: (value: unknown) => Read): Read | undefined {
    try {
      if (item.json === undefined)
        throw new ApiError('invalid-argument', 'the item is too large or no UTF-8');
      return read(parse(item.json));
    } catch (error) {
      this.fail(type, item.path, error);
      return undefined;
    }
  }

  private async attempt(type: string, id: string, change: (tx: Tx) => Promise<void>): Promise<boolean> {
    try {
      await this.by.unitOfWork.run(change);
      return true;
    } catch (error) {
      this.fail(type, id, error);
      return false;
    }
  }

  private fail(type: string, id: string, error: unknown): void {
    if (error instanceof ApiError) this.errors.push({ type, id, message: told(error.message) });
    else {
      this.by.log.error('an item was not imported', error, { type });
      this.errors.push({ type, id, message: 'ID=IMPORT-5xInt Message=Errors.Internal' });
    }
  }

  private of(orgId: string): ImportedOrg {
    const org = this.found.get(orgId) ?? { orgId };
    this.found.set(orgId, org);
    return org;
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new ApiError('invalid-argument', 'the item is not valid JSON');
  }
}

/** `text (ID)` of our errors, as this call has always told them. */
function told(message: string): string {
  const [, text = message, id = 'IMPORT-1nVal'] = /^(.*) \(([\w-]+)\)$/s.exec(message) ?? [];
  return `ID=${id} Message=${text}`;
}

function push<Name extends Exclude<keyof ImportedOrg, 'orgId'>>(
  org: ImportedOrg,
  name: Name,
  value: NonNullable<ImportedOrg[Name]>[number],
): void {
  const list = (org[name] ??= [] as unknown as ImportedOrg[Name]) as (typeof value)[];
  list.push(value);
}
