import { Injectable } from '@nestjs/common';
import { CODE_FACTORS } from '../../domain/factors/code-factor.js';
import { FactorSms } from '../../domain/factors/factor-sms.js';
import { FactorsStore, type UsableFactors } from '../../domain/factors/factors.store.js';
import type { CodeFactorKind } from '../../domain/policies/factor-policy.js';
import type { AccountSection } from '../../pages/account-layout.js';
import { maskedTarget } from '../../pages/sent-to-part.js';
import type { Texts } from '../../pages/texts.js';
import type { AccountVisit } from './account-visits.js';
import { codeFactorPath } from './codes-page.js';
import { SecuritySection } from './security-section.js';

/** Codes by e-mail or SMS; offered where they would be asked for, to somebody whom they can reach. */
@Injectable()
abstract class CodeSection extends SecuritySection {
  protected abstract readonly kind: CodeFactorKind;

  constructor(private readonly factors: FactorsStore) {
    super();
  }

  override async read({ user }: AccountVisit): Promise<((texts: Texts) => AccountSection) | undefined> {
    const { kind } = this;
    const usable = await this.factors.findUsable(user.id);
    const target = CODE_FACTORS[kind].targetOf(user);
    if (target === undefined) return undefined;
    const isSet = usable[kind];
    if (!isSet && !(usable.offered && usable.kinds.includes(kind) && (await this.isPossible(usable))))
      return undefined;
    return ({ account: { codes, change } }) => ({
      id: `${kind}-codes`,
      heading: codes.title[kind],
      state: isSet ? [codes.isSet.html({ target: maskedTarget(kind, target) })] : codes.isNotSet,
      action: { url: codeFactorPath(kind), label: isSet ? change : codes.setUp },
    });
  }

  protected abstract isPossible(usable: UsableFactors): Promise<boolean>;
}

@Injectable()
export class EmailCodesSection extends CodeSection {
  protected override readonly kind = 'email';

  /** Not for a mailbox that has just set the password. */
  protected override async isPossible({ passwordResetByEmail }: UsableFactors): Promise<boolean> {
    return await Promise.resolve(!passwordResetByEmail);
  }
}

@Injectable()
export class SmsCodesSection extends CodeSection {
  protected override readonly kind = 'sms';

  constructor(
    factors: FactorsStore,
    private readonly sms: FactorSms,
  ) {
    super(factors);
  }

  protected override async isPossible(): Promise<boolean> {
    return await this.sms.isPossible();
  }
}
