import { Injectable } from '@nestjs/common';
import type { Acting } from '../../permissions/acting.js';
import type { CodeFactorKind } from '../../policies/factor-policy.js';
import type { ResourceDetails } from '../../shared/details.js';
import { ApiError } from '../../shared/errors.js';
import type { AuthRequestId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { requireActiveHuman } from '../../users/require-active-human.js';
import { UsersStore } from '../../users/users.store.js';
import { CheckFactor } from '../check-factor.js';
import { FactorsStore, type EnrollingUser } from '../factors.store.js';
import { FirstFactor } from '../first-factor.js';
import { RecordFactorChange } from '../record-factor-change.js';
import type { ShownFactor } from '../shown-factor.js';
import { CODE_FACTORS, type CodePlace } from './code-factor.js';
import { FactorCodes } from './factor-codes.js';
import { SendFactorCode } from './send-factor-code.js';

type AddingUser = EnrollingUser & Acting;
type StoreFactor = (tx: Tx) => Promise<ResourceDetails>;

/** The change that a right code allows. */
@Injectable()
export class StoreCodeFactor {
  constructor(
    private readonly factors: FactorsStore,
    private readonly firstFactor: FirstFactor,
    private readonly change: RecordFactorChange,
  ) {}

  /** @throws ApiError invalid-argument for a code that was used meanwhile */
  async execute(tx: Tx, who: AddingUser, kind: CodeFactorKind, shown: ShownFactor): Promise<ResourceDetails> {
    const user = requireActiveHuman(await this.change.lock(tx, who));
    if (!(await shown.use(tx))) throw codeInvalid();
    await this.firstFactor.note(tx, who.userId, who.session, shown.kind);
    if (!(await this.factors.addCodeFactor(tx, who.orgId, who.userId, kind))) return user.details;
    return await this.change.execute(tx, who, user, {
      type: 'user.human.code_factor.added',
      template: 'factor_added',
      data: { kind },
    });
  }
}

/** What became of a code. */
type CodeFactorEvaluation =
  { readonly kind: 'wrong' } | { readonly kind: 'right'; readonly store: StoreFactor };

/**
 * A user has codes sent to their e-mail address or phone from now on, as a second factor. They show one first: an address that
 * reaches nobody any more locks nobody out.
 */
@Injectable()
export class AddCodeFactor {
  constructor(
    private readonly users: UsersStore,
    private readonly factors: FactorsStore,
    private readonly sendCode: SendFactorCode,
    private readonly factorCodes: FactorCodes,
    private readonly checkFactor: CheckFactor,
    private readonly storeFactor: StoreCodeFactor,
  ) {}

  /**
   * @param source where the request came from, as `addressGroup` says it
   * @returns false where it is too soon for another code
   * @throws ApiError failed-precondition where nothing of that kind is verified, the policy does not list it, or the same mailbox has
   *   just set the password
   */
  async begin(who: EnrollingUser, kind: CodeFactorKind, source: string): Promise<boolean> {
    const user = requireActiveHuman(await this.users.find(who.orgId, who.userId));
    const { offered, kinds, passwordResetByEmail } = await this.factors.findUsable(who.userId);
    if (!offered || !kinds.includes(kind)) throw notUsed(kind);
    if (CODE_FACTORS[kind].targetOf(user) === undefined) throw notVerified(kind);
    // whoever reads the mailbox would have shown both by that
    if (kind === 'email' && passwordResetByEmail) throw justReset();
    return await this.sendCode.again(placeOf(who), kind, source);
  }

  /** Before the transaction begins. Wrong codes count as wrong passwords do; a right one forgives nothing. */
  async evaluate(who: AddingUser, kind: CodeFactorKind, typed: string): Promise<CodeFactorEvaluation> {
    const shown = await this.checkFactor.check(who.userId, async () => {
      const result = await this.factorCodes.evaluate(placeOf(who), kind, typed);
      return { verdict: result === undefined ? 'wrong' : 'void', result };
    });
    if (shown === undefined) return { kind: 'wrong' };
    return { kind: 'right', store: async (tx) => await this.storeFactor.execute(tx, who, kind, shown) };
  }

  /** The same for whoever calls an API. @throws ApiError invalid-argument */
  async prepare(who: AddingUser, kind: CodeFactorKind, typed: string): Promise<StoreFactor> {
    const evaluated = await this.evaluate(who, kind, typed);
    if (evaluated.kind === 'right') return evaluated.store;
    throw codeInvalid();
  }
}

/** A code is of the session that asked for it. */
export function placeOf({ orgId, userId, session }: EnrollingUser): CodePlace {
  return { orgId, userId, boundTo: session as AuthRequestId };
}

const CODE_INVALID = 'CODE-woT0xc';

function codeInvalid(): ApiError {
  return new ApiError('invalid-argument', 'Code is invalid', CODE_INVALID);
}

/** Whether a code was refused; also one that was right a moment ago and has been used up meanwhile. */
export function isCodeRefused(error: unknown): boolean {
  return error instanceof ApiError && error.id === CODE_INVALID;
}

function notUsed(kind: CodeFactorKind): ApiError {
  const what = kind === 'email' ? 'codes by e-mail' : 'codes by SMS';
  return new ApiError('failed-precondition', `The organization does not use ${what}`, 'COMMAND-Cf3k8');
}

function notVerified(kind: CodeFactorKind): ApiError {
  const what = kind === 'email' ? 'E-mail address' : 'Phone number';
  return new ApiError('failed-precondition', `${what} is not verified`, 'COMMAND-Cf4v1');
}

function justReset(): ApiError {
  const message = 'The password was reset by e-mail less than a day ago: codes by e-mail have to wait';
  return new ApiError('failed-precondition', message, 'COMMAND-Cf5r2');
}
