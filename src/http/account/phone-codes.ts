import { Injectable } from '@nestjs/common';
import { SmsLimitSettings } from '../../domain/notifications/abuse/sms-limit-settings.js';
import { SmsProviders } from '../../domain/notifications/providers/sms-providers.js';
import type { UserId } from '../../domain/shared/ids.js';
import { VerificationCodesStore } from '../../domain/users/verification/verification-codes.store.js';

interface PhoneCodeState {
  readonly sendsSms: boolean;
  /** A code for the number is under way. */
  readonly isSent: boolean;
  /** When another one can be had; 0 or less: at once. */
  readonly availableInSeconds: number;
}

/** How things stand with the code for somebody's number. */
@Injectable()
export class PhoneCodes {
  constructor(
    private readonly codes: VerificationCodesStore,
    private readonly providers: SmsProviders,
    private readonly settings: SmsLimitSettings,
  ) {}

  async sendsSms(): Promise<boolean> {
    return (await this.providers.mode()).kind !== 'none';
  }

  async stateOf(userId: UserId): Promise<PhoneCodeState> {
    const [sendsSms, live] = await Promise.all([
      this.sendsSms(),
      this.codes.findLive(userId, 'verify_phone'),
    ]);
    const availableInSeconds = live === undefined ? 0 : this.settings.cooldownSeconds - live.ageSeconds;
    return { sendsSms, isSent: live !== undefined, availableInSeconds };
  }
}
