import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import { directoryOf, requireDirectory } from '../identity-providers/ldap/ldap-rules.js';
import { ProviderHosts } from '../notifications/providers/provider-hosts.js';
import { Clock } from '../shared/clock.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { OrgId, UserId } from '../shared/ids.js';
import { randomToken } from '../shared/random.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import { ActiveMigrations } from './active-migrations.js';
import { LONGEST_MIGRATION_DAYS, type UserMigrationPlan } from './user-migration.js';
import { UserMigrationsStore } from './user-migrations.store.js';

const DAY_MS = 86_400_000;

export interface UserMigrationChange {
  readonly orgId: OrgId;
  readonly actorId: UserId;
}

/** With the secret where it is new: it is shown this once. */
interface ChangedMigration {
  readonly details: ResourceDetails;
  readonly signingSecret?: string;
}

function userMigrationNotFound(): ApiError {
  return new ApiError('not-found', 'The organization has no migration of users', 'MIG-Nf4tu');
}

/** The old system receives the passwords of migrated users, so its settings are protected like those of an identity provider. */
@Injectable()
export class ManageUserMigration {
  constructor(
    private readonly migrations: UserMigrationsStore,
    private readonly active: ActiveMigrations,
    private readonly hosts: ProviderHosts,
    private readonly events: EventsStore,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /**
   * @param bindPassword of a directory; the one on file stays where none is given
   * @throws ApiError invalid-argument
   */
  async replace(
    tx: Tx,
    change: UserMigrationChange,
    plan: UserMigrationPlan,
    bindPassword?: string,
  ): Promise<ChangedMigration> {
    this.requireAllowed(plan);
    const { orgId } = change;
    const before = await this.migrations.lockForUpdate(tx, orgId);
    const signingSecret =
      plan.kind === 'webhook' && before?.plan.kind !== 'webhook' ? randomToken(32) : undefined;
    const secret = signingSecret ?? bindPassword;
    if (plan.kind === 'ldap' && secret === undefined) requireKept(before?.plan, plan);
    const details =
      before === undefined
        ? await this.migrations.add(tx, orgId, plan, secret ?? '')
        : await this.migrations.replace(tx, orgId, plan, secret);
    const wasActive = before?.plan.isActive === true;
    const what = plan.isActive === wasActive ? 'changed' : plan.isActive ? 'activated' : 'deactivated';
    await this.record(tx, what, change, details, differences(before?.plan, plan));
    return signingSecret === undefined ? { details } : { details, signingSecret };
  }

  /** @throws ApiError not-found */
  async rotateSecret(tx: Tx, change: UserMigrationChange): Promise<ChangedMigration> {
    const before = await this.migrations.lockForUpdate(tx, change.orgId);
    if (before === undefined) throw userMigrationNotFound();
    if (before.plan.kind !== 'webhook') {
      throw new ApiError('failed-precondition', 'Requests to a directory are not signed', 'MIG-Rs7dn');
    }
    const signingSecret = randomToken(32);
    const details = await this.migrations.replace(tx, change.orgId, before.plan, signingSecret);
    await this.record(tx, 'secret.changed', change, details);
    return { details, signingSecret };
  }

  /** @throws ApiError not-found */
  async remove(tx: Tx, change: UserMigrationChange): Promise<ResourceDetails> {
    const details = await this.migrations.remove(tx, change.orgId);
    if (details === undefined) throw userMigrationNotFound();
    await this.record(tx, 'removed', change, details);
    return details;
  }

  private requireAllowed(plan: UserMigrationPlan): void {
    const { endsAt, isActive } = plan;
    if (plan.kind === 'ldap') requireDirectory(plan.settings, this.hosts);
    else {
      const problem = this.hosts.problemWithUrl(plan.settings.url);
      if (problem !== undefined) throw new ApiError('invalid-argument', `url ${problem}`);
    }
    const now = this.clock.nowMs();
    if (isActive && endsAt.getTime() <= now) {
      throw new ApiError('invalid-argument', 'endsAt must be in the future');
    }
    if (endsAt.getTime() > now + LONGEST_MIGRATION_DAYS * DAY_MS) {
      throw new ApiError('invalid-argument', `endsAt must be within ${LONGEST_MIGRATION_DAYS} days`);
    }
  }

  private async record(
    tx: Tx,
    what: 'changed' | 'activated' | 'deactivated' | 'secret.changed' | 'removed',
    { orgId, actorId }: UserMigrationChange,
    { sequence }: ResourceDetails,
    fields: readonly string[] = [],
  ): Promise<void> {
    this.unitOfWork.afterCommit(tx, () => this.active.forget());
    await this.events.append(tx, {
      orgId,
      aggregateType: 'user_migration',
      aggregateId: orgId,
      sequence,
      type: `user_migration.${what}`,
      actorId,
      fields,
    });
  }
}

/** A password that is on file goes nowhere but where it was meant to. @throws ApiError invalid-argument */
function requireKept(
  before: UserMigrationPlan | undefined,
  after: Extract<UserMigrationPlan, { kind: 'ldap' }>,
): void {
  if (before?.kind !== 'ldap') throw new ApiError('invalid-argument', 'bindPassword is required');
  if (directoryOf(before.settings) === directoryOf(after.settings)) return;
  const sentence = 'bindPassword must be given again, because it would go elsewhere';
  throw new ApiError('invalid-argument', sentence);
}

/** Names of the fields that change, those of the kind's own settings among them. */
function differences(before: UserMigrationPlan | undefined, after: UserMigrationPlan): string[] {
  const earlier: Readonly<Record<string, unknown>> = { ...before, ...before?.settings };
  const later: Readonly<Record<string, unknown>> = { ...after, ...after.settings };
  const names = new Set([...Object.keys(earlier), ...Object.keys(later)]);
  names.delete('settings');
  return [...names].filter((name) => !isDeepStrictEqual(earlier[name], later[name])).sort();
}
