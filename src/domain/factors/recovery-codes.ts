import { Injectable } from '@nestjs/common';
import type { HashingBill } from '../passwords/hashing-bill.js';
import { PasswordHashing } from '../passwords/password-hashing.js';
import { HashRejected } from '../passwords/schemes/password-scheme.js';
import { Sealer } from '../secrets/sealer.js';
import type { UserId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { readTypedCode } from '../users/verification/verification-code.js';
import { FactorsStore } from './factors.store.js';
import type { ShownFactor } from './shown-factor.js';

const OWN = 'mac:';

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
    private readonly log: Log,
  ) {}

  /** @throws HashingOverloaded */
  async evaluate(userId: UserId, typed: string, bill: HashingBill): Promise<ShownFactor | undefined> {
    const hashes = await this.factors.recoveryCodesOf(userId);
    const hash = await this.findOpened(userId, hashes, typed, bill);
    if (hash === undefined) return undefined;
    return { kind: 'recovery-code', use: (tx) => this.factors.takeRecoveryCode(tx, userId, hash) };
  }

  /** As a code that we know is kept; case, blanks and dashes make no difference. */
  hashOf(userId: UserId, code: string): string {
    const text = [userId, readTypedCode(code)].join('\u0000');
    return OWN + this.sealer.mac('recovery-code', text).toString('base64url');
  }

  private async findOpened(
    userId: UserId,
    hashes: readonly string[],
    typed: string,
    bill: HashingBill,
  ): Promise<string | undefined> {
    const own = this.hashOf(userId, typed);
    if (hashes.includes(own)) return own;
    for (const hash of hashes.filter((other) => !other.startsWith(OWN))) {
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
