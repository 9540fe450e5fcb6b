import { Injectable } from '@nestjs/common';
import { Clock } from '../../shared/clock.js';
import type { UserId } from '../../shared/ids.js';
import { FactorsStore } from '../factors.store.js';
import type { ShownFactor } from '../shown-factor.js';
import { totpStepOf } from './totp-seed.js';

/** Codes of authenticator apps. Each is good once, ever, on all replicas (RFC 6238 §5.2). */
@Injectable()
export class TotpCodes {
  constructor(
    private readonly factors: FactorsStore,
    private readonly clock: Clock,
  ) {}

  async evaluate(userId: UserId, typed: string): Promise<ShownFactor | undefined> {
    const stored = await this.factors.findTotp(userId);
    const step = stored && totpStepOf(stored.seed, typed, this.clock.nowSeconds());
    if (stored === undefined || step === undefined) return undefined;
    return { kind: 'totp', use: (tx) => this.factors.takeTotpStep(tx, userId, stored.mark, step) };
  }
}
