import type { AccountSection } from '../../pages/account-layout.js';
import type { Texts } from '../../pages/texts.js';
import type { AccountVisit } from './account-visits.js';

/**
 * One way to sign in, on `/account/security`: how it stands for this user, and the one thing that can be done about it.
 * What it leads to is a page and a controller of its own below `/account/security/`.
 */
export abstract class SecuritySection {
  /** Reads what there is to say, for whichever language. @returns undefined where the user is not offered it */
  abstract read(
    visit: AccountVisit,
  ): Promise<((texts: Texts) => AccountSection | readonly AccountSection[]) | undefined>;
}
