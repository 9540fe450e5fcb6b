import { Injectable } from '@nestjs/common';
import { EnqueueNotification } from '../../notifications/enqueue-notification.js';
import type { JobLane } from '../../outbox/outbox.store.js';
import { Sealer } from '../../secrets/sealer.js';
import type { AuthRequestId, OrgId, UserId } from '../../shared/ids.js';
import { randomCode, randomId } from '../../shared/random.js';
import type { Tx } from '../../shared/unit-of-work.js';
import {
  CODE_LIFETIME_MS,
  digestOfSource,
  macOfCode,
  type HandedOutPurpose,
  type SmsPurpose,
  type VerificationPurpose,
} from './verification-code.js';
import { VerificationCodesStore, type NewVerificationCode } from './verification-codes.store.js';

export interface VerificationToEnqueue {
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly purpose: Exclude<VerificationPurpose, SmsPurpose | HandedOutPurpose>;
  /** E-mail address. */
  readonly target: string;
  /** The sign-in that requested it; never named in the message. */
  readonly flowId?: AuthRequestId | undefined;
  /** The address that somebody asks from who has not shown who they are; undefined for managers and the owner. */
  readonly askedFrom?: string | undefined;
}

type SentCode = NewVerificationCode & Pick<VerificationToEnqueue, 'purpose'>;

/**
 * Enqueues a mail to somebody with a fresh code (an SMS: `EnqueuePhoneVerification`): the code, the notification and
 * its job, in the caller's transaction. The code leaves this function in clear only towards the notification, which
 * seals it.
 */
@Injectable()
export class EnqueueVerification {
  constructor(
    private readonly sealer: Sealer,
    private readonly codes: VerificationCodesStore,
    private readonly enqueueNotification: EnqueueNotification,
  ) {}

  async execute(tx: Tx, verification: VerificationToEnqueue): Promise<void> {
    const { record, code } = this.newCode(verification);
    await this.notify(tx, record, code, await this.codes.replace(tx, record));
  }

  /**
   * The same for somebody whom anybody can have a message sent to: within the limits of
   * `VerificationCodesStore.replaceUnlessRecent` only. Whoever asked waits for it in front of a page.
   *
   * @returns false when the former code stays and nothing is sent
   */
  async executeUnlessRecent(tx: Tx, verification: VerificationToEnqueue): Promise<boolean> {
    const { record, code } = this.newCode(verification);
    const expiresAt = await this.codes.replaceUnlessRecent(tx, record);
    if (expiresAt === undefined) return false;
    await this.notify(tx, record, code, expiresAt, 'priority');
    return true;
  }

  private newCode({ askedFrom, ...verification }: VerificationToEnqueue): { record: SentCode; code: string } {
    const code = randomCode();
    const record = {
      ...verification,
      id: randomId(),
      codeHash: macOfCode(this.sealer, verification, code),
      lifetimeMs: CODE_LIFETIME_MS[verification.purpose],
      source: askedFrom === undefined ? undefined : digestOfSource(this.sealer, askedFrom),
    };
    return { record, code };
  }

  private async notify(
    tx: Tx,
    record: SentCode,
    code: string,
    expiresAt: Date,
    lane?: JobLane,
  ): Promise<void> {
    const { orgId, userId, purpose: template, id: codeId } = record;
    await this.enqueueNotification.execute(tx, { orgId, userId, template, codeId, code, expiresAt, lane });
  }
}
