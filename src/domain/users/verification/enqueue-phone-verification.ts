import { Injectable } from '@nestjs/common';
import { AdmitSms, type SmsRefusal } from '../../notifications/abuse/admit-sms.js';
import type { WantedSms } from '../../notifications/abuse/sms-caps.js';
import { SmsLimitsStore } from '../../notifications/abuse/sms-limits.store.js';
import { EnqueueNotification } from '../../notifications/enqueue-notification.js';
import type { SmsMode } from '../../notifications/providers/sms-providers.js';
import type { JobLane } from '../../outbox/outbox.store.js';
import { Sealer } from '../../secrets/sealer.js';
import type { AuthRequestId } from '../../shared/ids.js';
import { randomDigits, randomId } from '../../shared/random.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { CODE_LIFETIME_MS, macOfCode, type SmsPurpose } from './verification-code.js';
import { VerificationCodesStore } from './verification-codes.store.js';

/** What a code in an SMS is good for: by default, to verify the number. */
interface SmsCodeUse {
  readonly purpose: SmsPurpose;
  /** The sign-in that it was asked for in. */
  readonly flowId?: AuthRequestId | undefined;
}

const LANES: Readonly<Record<WantedSms['origin'], JobLane>> = {
  self: 'priority',
  manager: 'normal',
  import: 'normal',
};

/**
 * Enqueues an SMS to somebody with a fresh code for their number, within the limits on SMS: the counts, the code, the
 * notification and its job, in the caller's transaction. Where the provider makes the code there is none of ours.
 */
@Injectable()
export class EnqueuePhoneVerification {
  constructor(
    private readonly admitSms: AdmitSms,
    private readonly limits: SmsLimitsStore,
    private readonly sealer: Sealer,
    private readonly codes: VerificationCodesStore,
    private readonly enqueueNotification: EnqueueNotification,
  ) {}

  /**
   * @param mode asked for before the transaction; with `none` nothing is queued
   * @param use what the code is good for
   * @returns why nothing was queued; undefined also without a provider
   */
  async execute(
    tx: Tx,
    mode: SmsMode,
    wanted: WantedSms,
    use: SmsCodeUse = { purpose: 'verify_phone' },
  ): Promise<SmsRefusal | undefined> {
    if (mode.kind === 'none') return undefined;
    const { purpose, flowId } = use;
    const [refusal] = await this.admitSms.admit(tx, [wanted]);
    if (refusal !== undefined) return refusal;
    const { orgId, userId, number: target, origin } = wanted;
    const subject = { userId, purpose, target };
    const code = mode.kind === 'own-code' ? randomDigits() : null;
    const id = randomId();
    const expiresAt = await this.codes.replace(tx, {
      ...subject,
      id,
      orgId,
      flowId,
      codeHash: code === null ? undefined : macOfCode(this.sealer, subject, code),
      providerId: mode.kind === 'provider-code' ? mode.providerId : undefined,
      lifetimeMs: CODE_LIFETIME_MS[purpose],
    });
    await this.enqueueNotification.execute(tx, {
      orgId,
      userId,
      template: purpose,
      codeId: id,
      code,
      expiresAt,
      lane: LANES[origin],
    });
    if (origin === 'self') await this.limits.recordSend(tx, id, this.admitSms.prefixOf(target));
    return undefined;
  }
}
