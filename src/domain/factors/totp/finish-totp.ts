import { Injectable } from '@nestjs/common';
import type { Acting } from '../../permissions/acting.js';
import { Clock } from '../../shared/clock.js';
import type { ResourceDetails } from '../../shared/details.js';
import { ApiError } from '../../shared/errors.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { requireActiveHuman } from '../../users/require-active-human.js';
import { CheckFactor } from '../check-factor.js';
import { FactorsStore, type EnrollingUser, type StoredTotp } from '../factors.store.js';
import { FirstFactor } from '../first-factor.js';
import { RecordFactorChange } from '../record-factor-change.js';
import { totpStepOf } from './totp-seed.js';

type FinishingUser = EnrollingUser & Acting;
type StoreApp = (tx: Tx) => Promise<ResourceDetails>;

/** What became of a code: `gone` where there is nothing that it could be of. */
type TotpEvaluation =
  { readonly kind: 'wrong' | 'gone' } | { readonly kind: 'right'; readonly store: StoreApp };

/**
 * A user shows that their app has the secret, by one code, which is used up: it is the first that is not good at a sign-in.
 * Until then nobody is asked for anything, so that a secret that reached no app locks nobody out.
 */
@Injectable()
export class FinishTotp {
  constructor(
    private readonly factors: FactorsStore,
    private readonly checkFactor: CheckFactor,
    private readonly firstFactor: FirstFactor,
    private readonly change: RecordFactorChange,
    private readonly clock: Clock,
  ) {}

  /** Before the transaction begins. Wrong codes count; a right one forgives nothing: its secret is of the user's own choice. */
  async evaluate(who: FinishingUser, typed: string): Promise<TotpEvaluation> {
    const evaluated = await this.checkFactor.check<TotpEvaluation>(who.userId, async () => {
      const begun = await this.factors.findBegunTotp(who);
      if (begun === undefined) return { verdict: 'void', result: { kind: 'gone' } };
      const step = totpStepOf(begun.seed, typed, this.clock.nowSeconds());
      if (step === undefined) return { verdict: 'wrong', result: { kind: 'wrong' } };
      const store: StoreApp = async (tx) => await this.store(tx, who, begun, step);
      return { verdict: 'void', result: { kind: 'right', store } };
    });
    return evaluated ?? { kind: 'wrong' };
  }

  /** The same for whoever calls an API. @throws ApiError invalid-argument, failed-precondition */
  async prepare(who: FinishingUser, typed: string): Promise<StoreApp> {
    const evaluated = await this.evaluate(who, typed);
    if (evaluated.kind === 'right') return evaluated.store;
    if (evaluated.kind === 'gone') throw enrolmentGone();
    throw new ApiError('invalid-argument', 'Code is invalid', 'CODE-woT0xc');
  }

  private async store(tx: Tx, who: FinishingUser, begun: StoredTotp, step: number): Promise<ResourceDetails> {
    const user = requireActiveHuman(await this.change.lock(tx, who));
    await this.firstFactor.note(tx, who.userId, who.session, 'totp');
    const done = await this.factors.finishTotp(tx, who, begun, step);
    if (done === undefined) throw enrolmentGone();
    return await this.change.execute(tx, who, user, {
      type: 'user.human.totp.added',
      template: 'factor_added',
      data: { replaced: done === 'replaced' },
    });
  }
}

const GONE = 'COMMAND-To4e2';

function enrolmentGone(): ApiError {
  return new ApiError('failed-precondition', 'No authenticator app is being added: start again', GONE);
}

/** Whether there was nothing (any more) that a code could have been of. */
export function isEnrolmentGone(error: unknown): boolean {
  return error instanceof ApiError && error.id === GONE;
}
