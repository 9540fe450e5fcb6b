import { Injectable } from '@nestjs/common';
import { FactorsStore } from '../../domain/factors/factors.store.js';
import { PasskeysStore } from '../../domain/passkeys/passkeys.store.js';
import type { User } from '../../domain/users/user.js';
import { passkeysAnswer } from '../shared/schemas/passkey.schemas.js';

/** What somebody shows besides a password. */
@Injectable()
export class OwnProofs {
  constructor(
    private readonly passkeys: PasskeysStore,
    private readonly factors: FactorsStore,
  ) {}

  async find({ orgId, id }: Pick<User, 'orgId' | 'id'>) {
    const [passkeys, factors, usable] = await Promise.all([
      this.passkeys.listOfUser(orgId, id),
      this.factors.listAdded(orgId, id),
      this.factors.findUsable(id),
    ]);
    return {
      passkeys: passkeysAnswer.parse({ result: passkeys }).result,
      factors: factors.map(({ kind, createdAt }) => ({ kind, createdDate: createdAt.toISOString() })),
      recoveryCodesLeft: usable.recoveryCodes,
    };
  }
}
