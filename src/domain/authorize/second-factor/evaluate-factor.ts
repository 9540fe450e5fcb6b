import { Injectable } from '@nestjs/common';
import { FactorCodes } from '../../factors/codes/factor-codes.js';
import { askedKinds, FactorsStore, type AskedKind } from '../../factors/factors.store.js';
import { RecoveryCodes } from '../../factors/recovery-codes/recovery-codes.js';
import type { ShownFactor } from '../../factors/shown-factor.js';
import { TotpCodes } from '../../factors/totp/totp-codes.js';
import { SecondPasskey, type SecondPasskeyPlace } from '../../passkeys/show/second-passkey.js';
import type { AuthenticationResponse } from '../../passkeys/webauthn.js';
import { HashingBill } from '../../passwords/hashing/hashing-bill.js';
import { Counters } from '../../statistics/counters.js';

/** What is typed to be shown. */
type TypedFactorKind = Exclude<AskedKind, 'passkey'>;

/** What somebody presents as their second factor. */
export type PresentedFactor =
  | { readonly kind: TypedFactorKind; readonly typed: string }
  | { readonly kind: 'passkey'; readonly assertion: AuthenticationResponse };

/** Looks at what was presented, whichever kind it is of, as long as that kind is asked of this user at all. */
@Injectable()
export class EvaluateFactor {
  constructor(
    private readonly factors: FactorsStore,
    private readonly totpCodes: TotpCodes,
    private readonly factorCodes: FactorCodes,
    private readonly recoveryCodes: RecoveryCodes,
    private readonly secondPasskey: SecondPasskey,
    private readonly counters: Counters,
  ) {}

  /** @param source where the request came from @throws HashingOverloaded */
  async evaluate(
    place: SecondPasskeyPlace,
    presented: PresentedFactor,
    source: string,
  ): Promise<ShownFactor | undefined> {
    const shown = await this.look(place, presented, source);
    if (shown === undefined) this.counters.add(place.session.orgId, 'signInsRefused');
    return shown;
  }

  private async look(
    place: SecondPasskeyPlace,
    presented: PresentedFactor,
    source: string,
  ): Promise<ShownFactor | undefined> {
    const { orgId, userId } = place.session;
    if (!askedKinds(await this.factors.findUsable(userId)).includes(presented.kind)) return undefined;
    switch (presented.kind) {
      case 'passkey':
        return await this.secondPasskey.evaluate(place, presented.assertion);
      case 'totp':
        return await this.totpCodes.evaluate(userId, presented.typed);
      case 'email':
      case 'sms':
        return await this.factorCodes.evaluate(
          { orgId, userId, boundTo: place.flow },
          presented.kind,
          presented.typed,
        );
      case 'recovery-code':
        return await this.recoveryCodes.evaluate(
          { orgId, userId },
          presented.typed,
          HashingBill.page(orgId, source),
        );
    }
  }
}
