import { Injectable } from '@nestjs/common';
import type { OrgId, UserId } from '../../shared/ids.js';
import { Log } from '../../shared/log.js';
import { UnitOfWork } from '../../shared/unit-of-work.js';
import { UsersStore } from '../users.store.js';
import { EnqueueVerification } from './enqueue-verification.js';
import { VerificationCodesStore, type LiveCode } from './verification-codes.store.js';

/** So often a person may have another code sent; what comes sooner changes nothing. */
export const RESEND_SECONDS = 60;

interface Addressee {
  readonly orgId: OrgId;
  readonly userId: UserId;
}

/** Sends the code that a user must enter before a sign-in continues, and no more of them than needed. */
@Injectable()
export class AskToVerifyEmail {
  constructor(
    private readonly users: UsersStore,
    private readonly codes: VerificationCodesStore,
    private readonly enqueueVerification: EnqueueVerification,
    private readonly unitOfWork: UnitOfWork,
    private readonly log: Log,
  ) {}

  /** The live code for the user's present address, if there is one. */
  async findAsked({ userId }: Addressee): Promise<LiveCode | undefined> {
    return await this.codes.findLive(userId, 'verify_email');
  }

  /**
   * Sends a code where none is under way: coming back to the page is no reason for another mail. Never rejects: the
   * page can have one sent, and an error in place of the page would cost a browser the new secret of its sign-in.
   */
  async unlessAsked(addressee: Addressee): Promise<void> {
    try {
      const asked = await this.findAsked(addressee);
      if (asked?.usable !== true) await this.again(addressee);
    } catch (error) {
      this.log.error('no code could be sent for a sign-in that waits for it', error, {
        userId: addressee.userId,
      });
    }
  }

  /** Sends another code, which replaces the former. @returns false when it is too soon for that */
  async again(addressee: Addressee): Promise<boolean> {
    const asked = await this.findAsked(addressee);
    if (asked !== undefined && asked.ageSeconds < RESEND_SECONDS) return false;
    return await this.send(addressee);
  }

  private async send({ orgId, userId }: Addressee): Promise<boolean> {
    const user = await this.users.find(orgId, userId);
    if (user?.type !== 'human' || user.email.verified) return false;
    const target = user.email.address;
    // asked for twice at once, or one right behind the other: one of the requests sends it
    return await this.unitOfWork.run((tx) =>
      this.enqueueVerification.executeUnlessRecent(tx, { orgId, userId, purpose: 'verify_email', target }),
    );
  }
}
