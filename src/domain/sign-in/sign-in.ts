import { Injectable } from '@nestjs/common';
import type { SignInRefusal } from '../passwords/brute-force-meter.js';
import { CheckPassword } from '../passwords/check-password.js';
import { HashingBill } from '../passwords/hashing-bill.js';
import { Log } from '../shared/log.js';
import { Counters } from '../statistics/counters.js';
import { MigrateUser } from '../user-migration/migrate-user.js';
import type { ActiveMigration } from '../user-migration/user-migration.js';
import { ResolveLoginName } from './resolve-login-name.js';
import { ResponseTimePadding } from './response-time-padding.js';
import type { NameCandidate, SignInPlace } from './sign-in-names.store.js';
import type { AuthenticatedUser } from './start-session.js';
import { WatchSignIns } from './watch-sign-ins.js';

export interface Credentials {
  readonly loginName: string;
  readonly password: string;
  /** Where the request came from. */
  readonly source: string;
}

/** What was on file, and why it did not do. */
interface Tried {
  readonly user: NameCandidate | undefined;
  readonly canonical: string | undefined;
  readonly isKnown: boolean;
  readonly blocked: boolean;
}

/**
 * Holds login name and password against what is on file. Refusals look alike and take alike: an unknown user costs
 * one native hash, and every refusal is padded to a fixed response time. Where an organization's users come over from an
 * old system (user-migration) whoever would be refused may be one of them; the padding then has room for its answer,
 * whether it was asked or not.
 */
@Injectable()
export class SignIn {
  constructor(
    private readonly resolveLoginName: ResolveLoginName,
    private readonly checkPassword: CheckPassword,
    private readonly migrateUser: MigrateUser,
    private readonly responseTimePadding: ResponseTimePadding,
    private readonly watch: WatchSignIns,
    private readonly counters: Counters,
    private readonly log: Log,
  ) {}

  /**
   * @returns undefined for an unknown name, a wrong password, an inactive user: all the same outside
   */
  async authenticate(credentials: Credentials, place: SignInPlace): Promise<AuthenticatedUser | undefined> {
    const startedAt = performance.now();
    const tried = await this.tryPassword(credentials, place);
    if ('userId' in tried) return tried;
    const migration =
      tried.canonical === undefined ? undefined : await this.migrateUser.migrationAt(tried.canonical, place);
    if (migration !== undefined) {
      const newcomer = await this.migrate(migration, credentials, place, tried);
      if (newcomer !== undefined) return newcomer;
    }
    await this.refuse(tried, place, startedAt, migration);
    return undefined;
  }

  private async tryPassword(
    { loginName, password, source }: Credentials,
    place: SignInPlace,
  ): Promise<AuthenticatedUser | Tried> {
    const { user, canonical, isKnown } = await this.resolveLoginName.lookUp(loginName, place);
    const usable = user?.active === true ? user : undefined;
    const { matches, blocked, setAt } = await this.checkPassword.check(
      usable?.userId,
      password,
      // of a place that whoever asks has chosen, whomever the name means
      HashingBill.signIn(place.named ?? place.application, usable?.orgId, source),
    );
    if (usable !== undefined && matches) {
      return { orgId: usable.orgId, userId: usable.userId, proofs: ['password'], passwordSetAt: setAt };
    }
    return { user, canonical, isKnown, blocked };
  }

  /** Somebody who comes over from the old system right now, or was a moment quicker elsewhere. */
  private async migrate(
    migration: ActiveMigration,
    credentials: Credentials,
    place: SignInPlace,
    { user, canonical = '', isKnown }: Tried,
  ): Promise<AuthenticatedUser | undefined> {
    const { password, source } = credentials;
    const meant = user ?? (isKnown ? 'several' : 'nobody');
    const result = await this.migrateUser.execute(migration, { name: canonical, password, source, meant });
    if (result.kind === 'refused') return undefined;
    if (result.kind === 'migrated') {
      const { orgId, userId, setAt } = result;
      return { orgId, userId, proofs: ['password'], passwordSetAt: setAt };
    }
    const again = await this.tryPassword(credentials, place);
    return 'userId' in again ? again : undefined;
  }

  private async refuse(
    { user, blocked }: Tried,
    place: SignInPlace,
    startedAt: number,
    migration: ActiveMigration | undefined,
  ): Promise<void> {
    // never the typed name: people type passwords into that field
    const reason: SignInRefusal =
      user === undefined
        ? 'unknown name'
        : !user.active
          ? 'user not active'
          : blocked
            ? 'blocked'
            : 'wrong password';
    this.log.info('sign-in refused', { reason, userId: user?.userId });
    // of a name that nobody has, where it was tried
    this.counters.add(user?.orgId ?? place.named ?? place.application ?? null, 'signInsRefused');
    await this.watch.refused(reason);
    const tookMs = Math.round(performance.now() - startedAt);
    const { stepMs } = this.responseTimePadding;
    const paddingMs = (migration?.deadlineMs ?? 0) + stepMs;
    if (stepMs > 0 && tookMs > paddingMs) {
      // an answer that took a step more can be told apart: a costly imported hash, or too few slots
      this.log.warn('a refused sign-in overran the response-time padding', { tookMs, paddingMs });
    }
    await this.responseTimePadding.settle(startedAt, paddingMs);
  }
}
