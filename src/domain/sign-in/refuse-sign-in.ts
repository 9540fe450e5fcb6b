import { Injectable } from '@nestjs/common';
import type { SignInRefusal } from '../passwords/attempts/brute-force-meter.js';
import { Log } from '../shared/log.js';
import { Counters } from '../statistics/counters.js';
import type { ActiveMigration } from '../user-migration/user-migration.js';
import { ResponseTimePadding } from './response-time-padding.js';
import type { NameCandidate, SignInPlace } from './sign-in-names.store.js';
import { WatchSignIns } from './watch-sign-ins.js';

/** Who was on file under the name; undefined for a name that nobody has. */
export interface RefusedUser {
  readonly user: NameCandidate | undefined;
  /** Too many have guessed. */
  readonly blocked: boolean;
}

/** What follows a sign-in that is refused: log, counts, and the wait by which all refusals take alike. */
@Injectable()
export class RefuseSignIn {
  constructor(
    private readonly responseTimePadding: ResponseTimePadding,
    private readonly watch: WatchSignIns,
    private readonly counters: Counters,
    private readonly log: Log,
  ) {}

  /** @param migration of a user who might have been migrated from an old system, which may have been queried */
  async execute(
    { user, blocked }: RefusedUser,
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
      // an answer that took one step more is distinguishable: a costly imported hash, or too few slots
      this.log.warn('a refused sign-in overran the response-time padding', { tookMs, paddingMs });
    }
    await this.responseTimePadding.settle(startedAt, paddingMs);
  }
}
