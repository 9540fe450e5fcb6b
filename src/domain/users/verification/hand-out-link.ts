import { Injectable } from '@nestjs/common';
import { codeLink } from '../../notifications/code-link.js';
import { NotificationSettings } from '../../notifications/notification-settings.js';
import { Sealer } from '../../secrets/sealer.js';
import type { OrgId, UserId } from '../../shared/ids.js';
import { randomCode, randomId } from '../../shared/random.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { macOfCode } from './verification-code.js';
import { VerificationCodesStore } from './verification-codes.store.js';

export interface LinkToHandOut {
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly purpose: 'initialise' | 'reset_password' | 'register_passkey';
  /** E-mail address of the user; nothing is sent to it, and it is not verified by the link. */
  readonly target: string;
  readonly lifetimeMs: number;
  /** Who passes it on, where that is somebody with an account; empty where nobody answers for it. */
  readonly madeBy?: UserId | '';
}

/** Nobody types the code of a link to a page that works with scripts alone, so it may be a long one. */
const CODE_LENGTH = { initialise: 6, reset_password: 6, register_passkey: 12 } as const;

export interface HandedOutLink {
  /** With the code: whoever has it sets the password, or adds a passkey. */
  readonly url: string;
  readonly expiresAt: Date;
}

/**
 * A link as in `EnqueueVerification`'s mails, given to whoever asked for it instead: for the command line, where an
 * operator passes it on, where there is no mail server yet, and for managers who pass it on. It ends the user's live code of the same purpose.
 */
@Injectable()
export class HandOutLink {
  constructor(
    private readonly sealer: Sealer,
    private readonly codes: VerificationCodesStore,
    private readonly settings: NotificationSettings,
  ) {}

  async execute(tx: Tx, link: LinkToHandOut): Promise<HandedOutLink> {
    const id = randomId();
    const code = randomCode(CODE_LENGTH[link.purpose]);
    const codeHash = macOfCode(this.sealer, link, code);
    const expiresAt = await this.codes.replace(tx, { ...link, id, codeHash, provesAddress: false });
    return { url: codeLink(this.settings.issuer, link.purpose, id, code), expiresAt };
  }
}
