import { Injectable } from '@nestjs/common';
import { CODE_FACTORS } from '../../domain/factors/codes/code-factor.js';
import { FactorSms } from '../../domain/factors/codes/factor-sms.js';
import { FactorsStore, type UsableFactors } from '../../domain/factors/factors.store.js';
import { CODE_FACTOR_KINDS, type CodeFactorKind } from '../../domain/policies/factor-policy.js';
import type { HumanUser } from '../../domain/users/user.js';
import type { AccountSection } from '../../pages/account-layout.js';
import { maskedTarget } from '../../pages/sent-to-part.js';
import type { Texts } from '../../pages/texts.js';
import type { AccountVisit } from './account-visits.js';
import { codeFactorPath } from './codes-page.js';
import { SecuritySection } from './security-section.js';

/** Codes by e-mail and by SMS; offered where they would be asked for, to somebody whom they can reach. */
@Injectable()
export class CodesSection extends SecuritySection {
  constructor(
    private readonly factors: FactorsStore,
    private readonly sms: FactorSms,
  ) {
    super();
  }

  override async read({ user }: AccountVisit): Promise<(texts: Texts) => readonly AccountSection[]> {
    const usable = await this.factors.findUsable(user.id);
    const shown: ((texts: Texts) => AccountSection)[] = [];
    for (const kind of CODE_FACTOR_KINDS) {
      const section = await this.sectionOf(kind, user, usable);
      if (section !== undefined) shown.push(section);
    }
    return (texts) => shown.map((describe) => describe(texts));
  }

  private async sectionOf(
    kind: CodeFactorKind,
    user: HumanUser,
    usable: UsableFactors,
  ): Promise<((texts: Texts) => AccountSection) | undefined> {
    const target = CODE_FACTORS[kind].targetOf(user);
    if (target === undefined) return undefined;
    const isSet = usable[kind];
    if (!isSet && !(await this.isOffered(kind, usable))) return undefined;
    return ({ account: { codes, change } }) => ({
      id: `${kind}-codes`,
      heading: codes.title[kind],
      state: isSet ? [codes.isSet.html({ target: maskedTarget(kind, target) })] : codes.isNotSet,
      action: { url: codeFactorPath(kind), label: isSet ? change : codes.setUp },
    });
  }

  private async isOffered(kind: CodeFactorKind, usable: UsableFactors): Promise<boolean> {
    if (!usable.offered || !usable.kinds.includes(kind)) return false;
    // not for a mailbox that has just set the password
    return kind === 'email' ? !usable.passwordResetByEmail : await this.sms.isPossible();
  }
}
