import { Injectable } from '@nestjs/common';
import type { HashingBill } from '../../passwords/hashing/hashing-bill.js';
import { PasswordHashing } from '../../passwords/hashing/password-hashing.js';
import { HashRejected } from '../../passwords/schemes/password-scheme.js';
import { Sealer } from '../../secrets/sealer.js';
import type { OrgId, UserId } from '../../shared/ids.js';
import { Log } from '../../shared/log.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { FactorsStore } from '../factors.store.js';
import { RecordFactorChange } from '../record-factor-change.js';
import type { ShownFactor } from '../shown-factor.js';
import { isOwnHash, recoveryCodeHash } from './recovery-code-hash.js';

/**
 * Codes that stand in for a lost factor, each once. Those we make are kept as an HMAC that is bound to their user: a stolen
 * table is worth nothing without the key. Hashes that an import brought are checked as passwords are.
 */
@Injectable()
export class RecoveryCodes {
  constructor(
    private readonly factors: FactorsStore,
    private readonly sealer: Sealer,
    private readonly hashing: PasswordHashing,
    private readonly change: RecordFactorChange,
    private readonly log: Log,
  ) {}

  /** @throws HashingOverloaded */
  async evaluate(
    { orgId, userId }: { readonly orgId: OrgId; readonly userId: UserId },
    typed: string,
    bill: HashingBill,
  ): Promise<ShownFactor | undefined> {
    const hashes = await this.factors.recoveryCodesOf(userId);
    const hash = await this.findOpened(userId, hashes, typed, bill);
    if (hash === undefined) return undefined;
    return { kind: 'recovery-code', use: async (tx) => await this.use(tx, orgId, userId, hash) };
  }

  /** As a code that we know is kept; case, blanks and dashes make no difference. */
  hashOf(userId: UserId, code: string): string {
    return recoveryCodeHash(this.sealer, userId, code);
  }

  /** Whoever did not use it learns of it by mail. */
  private async use(tx: Tx, orgId: OrgId, userId: UserId, hash: string): Promise<boolean> {
    const change = { orgId, userId, actorId: userId };
    const user = await this.change.lock(tx, change);
    const left = await this.factors.takeRecoveryCode(tx, userId, hash);
    if (left === undefined) return false;
    await this.change.execute(tx, change, user, {
      type: 'user.human.recovery_code.used',
      template: 'recovery_code_used',
      data: { left },
    });
    return true;
  }

  private async findOpened(
    userId: UserId,
    hashes: readonly string[],
    typed: string,
    bill: HashingBill,
  ): Promise<string | undefined> {
    const own = this.hashOf(userId, typed);
    if (hashes.includes(own)) return own;
    for (const hash of hashes.filter((other) => !isOwnHash(other))) {
      if (await this.opens(userId, hash, typed.trim(), bill)) return hash;
    }
    return undefined;
  }

  private async opens(userId: UserId, hash: string, code: string, bill: HashingBill): Promise<boolean> {
    try {
      return (await this.hashing.verify(hash, code, bill)).matches;
    } catch (error) {
      if (!(error instanceof HashRejected)) throw error;
      // Import lets no such hash in: somebody wrote to the database by hand.
      this.log.error('stored hash of a recovery code refused', error, { userId, rule: error.rule });
      return false;
    }
  }
}
