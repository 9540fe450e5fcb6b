import { Injectable } from '@nestjs/common';
import type { ResourceDetails } from '../../shared/details.js';
import { ApiError } from '../../shared/errors.js';
import { randomCode } from '../../shared/random.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { requireActiveHuman } from '../../users/require-active-human.js';
import { FactorsStore } from '../factors.store.js';
import { RecordFactorChange } from '../record-factor-change.js';
import type { OwnFactorChange } from '../remove-factor.js';
import { RecoveryCodes } from './recovery-codes.js';

const HOW_MANY = 10;
/** From an alphabet of 32 characters: 50 bits, and the policy allows only a few guesses (ASVS 6.5.2). */
const HALF = 5;

/** They are shown once: only their hashes are kept. */
interface MadeRecoveryCodes {
  /** `ABCDE-FGHJK` */
  readonly codes: readonly string[];
  readonly details: ResourceDetails;
}

/** A user gets codes that stand in for a lost factor, in place of all that they had, imported ones among them. */
@Injectable()
export class MakeRecoveryCodes {
  constructor(
    private readonly factors: FactorsStore,
    private readonly recoveryCodes: RecoveryCodes,
    private readonly change: RecordFactorChange,
  ) {}

  /** @throws ApiError not-found, failed-precondition for whoever has nothing that they could stand in for */
  async execute(tx: Tx, change: OwnFactorChange): Promise<MadeRecoveryCodes> {
    const { orgId, userId } = change;
    const user = requireActiveHuman(await this.change.lock(tx, change));
    const codes = Array.from({ length: HOW_MANY }, () => `${randomCode(HALF)}-${randomCode(HALF)}`);
    const hashes = codes.map((code) => this.recoveryCodes.hashOf(userId, code));
    if (!(await this.factors.replaceRecoveryCodes(tx, orgId, userId, hashes))) {
      throw new ApiError('failed-precondition', 'Set up a second factor first', 'COMMAND-Rc5n2');
    }
    const details = await this.change.execute(tx, change, user, {
      type: 'user.human.recovery_codes.made',
      template: 'recovery_codes_made',
    });
    return { codes, details };
  }
}
