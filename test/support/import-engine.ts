import { createHash } from 'node:crypto';
import type { Type } from '@nestjs/common';
import { vi } from 'vitest';
import { ChangeApplication } from '../../src/domain/applications/change-application.js';
import { CreateOidcApplication } from '../../src/domain/applications/create-oidc-application.js';
import { AddApplicationKey } from '../../src/domain/applications/keys/add-application-key.js';
import { EventsStore } from '../../src/domain/events/events.store.js';
import { AddIdentity } from '../../src/domain/identity-providers/identities/add-identity.js';
import { CloseChunk } from '../../src/domain/imports/chunks/close-chunk.js';
import { FollowImport } from '../../src/domain/imports/chunks/follow-import.js';
import { ImportChunksStore } from '../../src/domain/imports/chunks/import-chunks.store.js';
import { RunImportChunk } from '../../src/domain/imports/chunks/run-import-chunk.js';
import { WriteChunk } from '../../src/domain/imports/chunks/write-chunk.js';
import { EndImport } from '../../src/domain/imports/end-import.js';
import { ImportEvents } from '../../src/domain/imports/import-events.js';
import type { ImportJob, ImportOptions } from '../../src/domain/imports/import-job.js';
import { ImportJobs } from '../../src/domain/imports/import-jobs.js';
import { ImportPermission } from '../../src/domain/imports/import-permission.js';
import { ImportsStore } from '../../src/domain/imports/imports.store.js';
import { AddApplicationItem } from '../../src/domain/imports/items/add-application-item.js';
import { AddItem } from '../../src/domain/imports/items/add-item.js';
import { AddOrganizationItem } from '../../src/domain/imports/items/add-organization-item.js';
import { AddPolicyItem } from '../../src/domain/imports/items/add-policy-item.js';
import { AddProjectItem } from '../../src/domain/imports/items/add-project-item.js';
import { AddUserItem } from '../../src/domain/imports/items/add-user-item.js';
import { WriteItems } from '../../src/domain/imports/items/write-items.js';
import { NotifyImport } from '../../src/domain/imports/post-import/notify-import.js';
import { RunPostImport } from '../../src/domain/imports/post-import/run-post-import.js';
import { UndoImport } from '../../src/domain/imports/post-import/undo-import.js';
import { QueueImports } from '../../src/domain/imports/queue-imports.js';
import { BeginImport, type WantedImport } from '../../src/domain/imports/receive/begin-import.js';
import { FillImport } from '../../src/domain/imports/receive/fill-import.js';
import { RetryImport } from '../../src/domain/imports/receive/retry-import.js';
import { SteerImport } from '../../src/domain/imports/steer-import.js';
import { EnqueueImportSms } from '../../src/domain/imports/write/enqueue-import-sms.js';
import { ImportUsersStore } from '../../src/domain/imports/write/import-users.store.js';
import { PrepareRecords } from '../../src/domain/imports/write/prepare-records.js';
import type { RecordOutcome } from '../../src/domain/imports/write/record-outcome.js';
import { WriteMetadata } from '../../src/domain/imports/write/write-metadata.js';
import { WriteRecords } from '../../src/domain/imports/write/write-records.js';
import { WriteUsers } from '../../src/domain/imports/write/write-users.js';
import { ManageMembers } from '../../src/domain/members/manage-members.js';
import { AdmitSms } from '../../src/domain/notifications/abuse/admit-sms.js';
import { SmsProviders } from '../../src/domain/notifications/providers/sms-providers.js';
import { ManageDomains } from '../../src/domain/organizations/manage-domains.js';
import { ManageOrganizations } from '../../src/domain/organizations/manage-organizations.js';
import { OrganizationsStore } from '../../src/domain/organizations/organizations.store.js';
import { OutboxStore } from '../../src/domain/outbox/outbox.store.js';
import { PasskeySettings } from '../../src/domain/passkeys/passkey.js';
import {
  PasswordHashing,
  PasswordHashingSettings,
} from '../../src/domain/passwords/hashing/password-hashing.js';
import { EffectiveRoles } from '../../src/domain/permissions/effective-roles.js';
import type { Role } from '../../src/domain/permissions/permissions.js';
import { BrandingPolicies } from '../../src/domain/policies/branding-policies.js';
import { FactorPolicies } from '../../src/domain/policies/factor-policies.js';
import { LoginPolicies } from '../../src/domain/policies/login-policies.js';
import { PoliciesStore } from '../../src/domain/policies/policies.store.js';
import { LockoutPolicies, PasswordPolicies } from '../../src/domain/policies/security-policy.js';
import { ManageProjectGrants } from '../../src/domain/project-grants/manage-project-grants.js';
import { ChangeProject } from '../../src/domain/projects/change-project.js';
import { CreateProject } from '../../src/domain/projects/create-project.js';
import { ProjectRoles } from '../../src/domain/projects/project-roles.js';
import { ProjectsStore } from '../../src/domain/projects/projects.store.js';
import { ManageRoleAssignments } from '../../src/domain/role-assignments/manage-role-assignments.js';
import { Sealer } from '../../src/domain/secrets/sealer.js';
import { ServiceUserKeys } from '../../src/domain/service-users/service-user-keys.js';
import { SessionsStore } from '../../src/domain/sessions/sessions.store.js';
import { Clock } from '../../src/domain/shared/clock.js';
import type { ImportJobId, OrgId, UserId } from '../../src/domain/shared/ids.js';
import { Log } from '../../src/domain/shared/log.js';
import { Savepoint } from '../../src/domain/shared/savepoint.js';
import { UnitOfWork } from '../../src/domain/shared/unit-of-work.js';
import { Counters } from '../../src/domain/statistics/counters.js';
import { DatabaseAway } from '../../src/storage/postgres/sql.js';
import type { TestApi } from './api.js';

export const PLAIN_OPTIONS: ImportOptions = {
  format: 'ndjson',
  mode: 'insert',
  dryRun: false,
  notify: 'none',
  updatePasswords: false,
};

/** Good for a password of 72 bytes at most; of nobody. */
export const BCRYPT = '$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW';

export interface QueuedJob {
  readonly id: string;
  readonly name: string;
  readonly jobId: ImportJobId;
  readonly number: number;
}

/** A record with what every human has, and the changes that a test is about. */
export function human(
  name: string,
  changes: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    userName: name,
    profile: { firstName: 'Ada', lastName: 'Lovelace' },
    email: { email: `${name}@mail.test`, isEmailVerified: true },
    hashedPassword: { value: BCRYPT },
    ...changes,
  };
}

/** The next file or retry is complete, and the connection is lost before the answer to its COMMIT. */
export function loseAnswer(fill: FillImport): Promise<ImportJob> {
  return new Promise((resolve) => {
    const complete = fill.complete.bind(fill);
    vi.spyOn(fill, 'complete').mockImplementationOnce(async (...given) => {
      resolve(await complete(...given));
      throw new DatabaseAway(new Error('Connection terminated unexpectedly'));
    });
  });
}

function isBusy(run: unknown): boolean {
  return typeof run === 'object' && run !== null && 'kind' in run && run.kind === 'busy';
}

/** The use cases of a worker in this process, and the part of the API that receives a file. */
export class ImportEngine {
  readonly jobs: ImportJobs;
  readonly begin: BeginImport;
  readonly fill: FillImport;
  readonly steer: SteerImport;
  readonly retry: RetryImport;
  readonly runner: RunImportChunk;
  readonly follow: FollowImport;
  readonly undo: UndoImport;
  readonly notify: NotifyImport;

  constructor(private readonly api: TestApi) {
    const get = <T>(token: abstract new (...args: never[]) => T): T =>
      api.app.get(token as unknown as Type<T>);
    const [work, imports, chunks, users] = [
      get(UnitOfWork),
      get(ImportsStore),
      get(ImportChunksStore),
      get(ImportUsersStore),
    ];
    const [queue, outbox, events] = [get(QueueImports), get(OutboxStore), get(EventsStore)];
    const clock = get(Clock);
    const permission = get(ImportPermission);
    const end = get(EndImport);
    const prepare = new PrepareRecords(
      users,
      get(PasswordPolicies),
      get(PasswordHashing),
      get(PasswordHashingSettings),
      get(PasskeySettings),
      get(ImportPermission),
    );
    const sms = new EnqueueImportSms(get(SmsProviders), get(AdmitSms), users);
    const write = new WriteRecords(users, get(EffectiveRoles), get(SessionsStore), sms, get(Sealer));
    const addItem = new AddItem(
      new AddOrganizationItem(get(OrganizationsStore), get(ManageOrganizations), get(ManageDomains)),
      new AddPolicyItem(
        get(PoliciesStore),
        get(PasswordPolicies),
        get(LockoutPolicies),
        get(LoginPolicies),
        get(FactorPolicies),
        get(BrandingPolicies),
      ),
      new AddProjectItem(
        get(ProjectsStore),
        get(CreateProject),
        get(ChangeProject),
        get(ProjectRoles),
        get(ManageProjectGrants),
      ),
      new AddApplicationItem(get(CreateOidcApplication), get(ChangeApplication), get(AddApplicationKey)),
      new AddUserItem(get(ServiceUserKeys), get(ManageRoleAssignments), get(ManageMembers), get(AddIdentity)),
    );
    this.jobs = get(ImportJobs);
    this.begin = get(BeginImport);
    this.fill = get(FillImport);
    this.steer = get(SteerImport);
    this.retry = get(RetryImport);
    const writeChunk = new WriteChunk(
      new WriteUsers(prepare, write, sms, clock, get(Counters)),
      new WriteMetadata(users, get(EffectiveRoles), get(Savepoint), events),
      new WriteItems(get(Savepoint), addItem, get(Log)),
    );
    const closeChunk = new CloseChunk(work, chunks, outbox, queue, end);
    this.runner = new RunImportChunk(chunks, permission, writeChunk, closeChunk, outbox, end);
    this.follow = new FollowImport(work, imports, chunks, queue, outbox, end);
    const postImport = new RunPostImport(work, imports, permission, queue, outbox, get(ImportEvents));
    this.undo = new UndoImport(postImport, imports, users, events);
    this.notify = new NotifyImport(postImport, imports, users, sms, clock);
  }

  /** Somebody who may import into an organization. */
  async addImporter(orgId: OrgId, role: Role = 'ORG_OWNER'): Promise<UserId> {
    const { rows } = await this.api.sql.query<{ id: UserId }>(
      `INSERT INTO users (org_id, kind, user_name) VALUES ($1, 'machine', 'importer-' || new_id()) RETURNING id`,
      [orgId],
    );
    const id = rows[0]?.id as UserId;
    await this.api.sql.query(
      `INSERT INTO memberships (user_id, user_org_id, role, org_id) VALUES ($1, $2, $3, $4)`,
      [id, orgId, role, role.startsWith('IAM_') ? null : orgId],
    );
    return id;
  }

  /** Receives a file of these records, so many in a chunk. */
  async receive(
    orgId: OrgId,
    callerId: UserId,
    records: readonly (object | string)[],
    options: Partial<WantedImport> = {},
    perChunk = 1_000,
  ): Promise<ImportJob> {
    const begun = await this.begin.execute({ ...PLAIN_OPTIONS, through: null, ...options, orgId, callerId });
    if ('known' in begun) return begun.known;
    const lines = records.map((record, index) => ({
      line: index + 1,
      json: typeof record === 'string' ? record : JSON.stringify(record),
    }));
    for (let from = 0, number = 1; from < lines.length; from += perChunk, number += 1) {
      await this.fill.appendChunk(begun.begun, number, lines.slice(from, from + perChunk));
    }
    const checksum = createHash('sha256').update(JSON.stringify(lines)).digest();
    return await this.fill.complete(begun.begun, { bytes: 1, checksum });
  }

  /** What the outbox has for the queue of imports, oldest first. */
  async queued(): Promise<QueuedJob[]> {
    const { rows } = await this.api.sql.query<QueuedJob>(
      `SELECT id::text, job_name AS name, payload ->> 'jobId' AS "jobId",
         coalesce((payload ->> 'number')::int, 0) AS number
       FROM outbox WHERE queue = 'imports' ORDER BY outbox.id`,
    );
    return rows;
  }

  async runQueued({ name, jobId, number, id }: QueuedJob): Promise<unknown> {
    switch (name) {
      case 'import-chunk':
        return await this.runner.run(jobId, number, id);
      case 'follow-import':
        return await this.follow.look(jobId, id);
      case 'undo-import-chunk':
        return await this.undo.step({ jobId, number, outboxId: id });
      default:
        return await this.notify.step({ jobId, number, outboxId: id });
    }
  }

  /** Works until nothing is queued any more. */
  async drain(): Promise<void> {
    for (let round = 0; round < 200; round += 1) {
      const queued = await this.queued();
      const [next] = [...queued.filter(({ name }) => name !== 'follow-import'), ...queued];
      if (next === undefined) return;
      const run = await this.runQueued(next);
      if (isBusy(run)) throw new Error(`a chunk is held by nobody who works: ${JSON.stringify(next)}`);
    }
    throw new Error('the import never ends');
  }

  async import(...args: Parameters<ImportEngine['receive']>): Promise<ImportJob> {
    const job = await this.receive(...args);
    await this.drain();
    return await this.jobs.find(job.orgId, job.id);
  }

  async outcomes({ orgId, id }: ImportJob): Promise<RecordOutcome[]> {
    const outcomes: RecordOutcome[] = [];
    for await (const outcome of this.jobs.results(orgId, id)) outcomes.push(outcome);
    return outcomes;
  }

  async transaction<T>(work: Parameters<UnitOfWork['run']>[0]): Promise<T> {
    return (await this.api.app.get(UnitOfWork).run(work)) as T;
  }
}
