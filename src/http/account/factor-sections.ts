import { Injectable } from '@nestjs/common';
import { FactorsStore, heldKinds } from '../../domain/factors/factors.store.js';
import { PasskeysStore } from '../../domain/passkeys/passkeys.store.js';
import type { AccountSection } from '../../pages/account-layout.js';
import type { Texts } from '../../pages/texts.js';
import type { AccountVisit } from './account-visits.js';
import { SecuritySection } from './security-section.js';

/** The authenticator app; not offered where its codes would never be asked for. */
@Injectable()
export class AppSection extends SecuritySection {
  constructor(private readonly factors: FactorsStore) {
    super();
  }

  override async read({ session }: AccountVisit): Promise<((texts: Texts) => AccountSection) | undefined> {
    const { totp, offered, kinds } = await this.factors.findUsable(session.userId);
    if (!totp && (!offered || !kinds.includes('totp'))) return undefined;
    return ({ account: { app, change } }) => ({
      id: 'app',
      heading: app.title,
      state: totp ? app.isSet : app.isNotSet,
      action: totp
        ? { url: '/account/security/app', label: change }
        : { url: '/account/security/app/new', label: app.setUp },
    });
  }
}

/** For whoever has a factor that they stand in for. */
@Injectable()
export class RecoveryCodesSection extends SecuritySection {
  constructor(private readonly factors: FactorsStore) {
    super();
  }

  override async read({ session }: AccountVisit): Promise<((texts: Texts) => AccountSection) | undefined> {
    const usable = await this.factors.findUsable(session.userId);
    if (heldKinds(usable).length === 0) return undefined;
    const { recoveryCodes: count } = usable;
    return ({ account: { recoveryCodes, change } }) => ({
      id: 'recovery-codes',
      heading: recoveryCodes.title,
      state: recoveryCodes.left({ count }),
      action: { url: '/account/security/recovery-codes', label: change },
    });
  }
}

@Injectable()
export class PasskeysSection extends SecuritySection {
  constructor(private readonly passkeys: PasskeysStore) {
    super();
  }

  override async read({
    session: { orgId, userId },
  }: AccountVisit): Promise<(texts: Texts) => AccountSection> {
    const { length: count } = await this.passkeys.listOfUser(orgId, userId);
    return ({ account: { passkeys, change } }) => ({
      id: 'passkeys',
      heading: passkeys.title,
      state: count === 0 ? passkeys.none : passkeys.count({ count }),
      action: { url: '/account/security/passkeys', label: change },
    });
  }
}
