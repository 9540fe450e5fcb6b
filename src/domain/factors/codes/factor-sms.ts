import { Injectable } from '@nestjs/common';
import { AdmitSms } from '../../notifications/abuse/admit-sms.js';
import type { WantedSms } from '../../notifications/abuse/sms-caps.js';
import { SmsProviders } from '../../notifications/providers/sms-providers.js';
import { UnitOfWork } from '../../shared/unit-of-work.js';
import { EnqueuePhoneVerification } from '../../users/verification/enqueue-phone-verification.js';
import type { CodePlace } from './code-factor.js';

/** The code of a second factor by SMS, which costs money: whatever refuses one is asked before there is a transaction. */
@Injectable()
export class FactorSms {
  constructor(
    private readonly providers: SmsProviders,
    private readonly admitSms: AdmitSms,
    private readonly enqueuePhoneVerification: EnqueuePhoneVerification,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  async isPossible(): Promise<boolean> {
    return (await this.providers.mode()).kind !== 'none';
  }

  async send({ orgId, userId, boundTo }: CodePlace, number: string, source: string): Promise<boolean> {
    const mode = await this.providers.mode();
    if (mode.kind === 'none') return false;
    const wanted: WantedSms = { orgId, userId, number, origin: 'self', again: true, source, toOwner: true };
    if ((await this.admitSms.peek(wanted)) !== undefined) return false;
    const use = { purpose: 'second_factor_sms', flowId: boundTo } as const;
    return await this.unitOfWork.run(
      async (tx) => (await this.enqueuePhoneVerification.execute(tx, mode, wanted, use)) === undefined,
    );
  }
}
