import { Injectable } from '@nestjs/common';
import type { AccountSection } from '../../pages/account-layout.js';
import type { Texts } from '../../pages/texts.js';
import type { AccountVisit } from './account-visits.js';
import { CodesSection } from './codes-section.js';
import { AppSection, PasskeysSection, RecoveryCodesSection } from './factor-sections.js';
import { IdentitiesSection } from './identities.controller.js';
import { PasswordSection } from './password-section.js';
import type { SecuritySection } from './security-section.js';

/** What stands on `/account/security`, in this order: another section is a class of its own, and named here. */
@Injectable()
export class SecuritySections {
  private readonly sections: readonly SecuritySection[];

  constructor(
    password: PasswordSection,
    passkeys: PasskeysSection,
    app: AppSection,
    codes: CodesSection,
    recoveryCodes: RecoveryCodesSection,
    identities: IdentitiesSection,
  ) {
    this.sections = [password, passkeys, app, codes, recoveryCodes, identities];
  }

  async read(visit: AccountVisit): Promise<(texts: Texts) => readonly AccountSection[]> {
    const read = await Promise.all(this.sections.map((section) => section.read(visit)));
    return (texts) => read.flatMap((describe) => describe?.(texts) ?? []);
  }
}
