import { Injectable } from '@nestjs/common';
import { CODE_FACTOR_KINDS, type CodeFactorKind, type FactorKind } from '../policies/factor-policy.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { User } from '../users/user.js';
import { UsersStore } from '../users/users.store.js';
import { CODE_FACTORS } from './codes/code-factor.js';
import { FactorSms } from './codes/factor-sms.js';
import { FactorsStore, type UsableFactors } from './factors.store.js';

/** Why codes cannot be turned on now, though the policy lists them. */
export type CodeObstacle =
  /** The address or number is not verified, or there is none. */
  | 'not-verified'
  /** The same mailbox has just set the password. */
  | 'reset-by-email'
  /** Nothing sends SMS. */
  | 'no-provider';

export interface SetUpChoice {
  /** What somebody can set up now, strongest first. */
  readonly kinds: readonly FactorKind[];
  /** What the policy lists besides, and what is in the way. */
  readonly obstacles: Readonly<Partial<Record<CodeFactorKind, CodeObstacle>>>;
}

/** What of the policy's list somebody can set up: passkeys and apps always, codes where they arrive. */
@Injectable()
export class ChooseSetUp {
  constructor(
    private readonly factors: FactorsStore,
    private readonly users: UsersStore,
    private readonly sms: FactorSms,
  ) {}

  async of(orgId: OrgId, userId: UserId): Promise<SetUpChoice> {
    const usable = await this.factors.findUsable(userId);
    const obstacles: Partial<Record<CodeFactorKind, CodeObstacle>> = {};
    const listed = CODE_FACTOR_KINDS.filter((kind) => usable.kinds.includes(kind));
    const user = listed.length === 0 ? undefined : await this.users.find(orgId, userId);
    for (const kind of listed) {
      const obstacle = await this.obstacleTo(kind, user, usable);
      if (obstacle !== undefined) obstacles[kind] = obstacle;
    }
    return { kinds: usable.kinds.filter((kind) => !Object.hasOwn(obstacles, kind)), obstacles };
  }

  private async obstacleTo(
    kind: CodeFactorKind,
    user: User | undefined,
    usable: UsableFactors,
  ): Promise<CodeObstacle | undefined> {
    if (user?.type !== 'human' || CODE_FACTORS[kind].targetOf(user) === undefined) return 'not-verified';
    if (kind === 'sms') return (await this.sms.isPossible()) ? undefined : 'no-provider';
    // whoever reads the mailbox would have shown both by that
    return usable.passwordResetByEmail ? 'reset-by-email' : undefined;
  }
}
