import { Injectable } from '@nestjs/common';
import { PasswordsStore } from '../../domain/passwords/passwords.store.js';
import type { AccountSection } from '../../pages/account-layout.js';
import type { Texts } from '../../pages/texts.js';
import type { AccountVisit } from './account-visits.js';
import { SecuritySection } from './security-section.js';

@Injectable()
export class PasswordSection extends SecuritySection {
  constructor(private readonly passwords: PasswordsStore) {
    super();
  }

  override async read({ session }: AccountVisit): Promise<(texts: Texts) => AccountSection> {
    const isSet = (await this.passwords.findByUser(session.userId)) !== undefined;
    return ({ form, account: { change, password } }) => ({
      id: 'password',
      heading: form.password,
      state: isSet ? password.isSet : password.isNotSet,
      action: isSet ? { url: '/account/security/password', label: change } : undefined,
    });
  }
}
