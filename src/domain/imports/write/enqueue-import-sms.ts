import { Injectable } from '@nestjs/common';
import { AdmitSms } from '../../notifications/abuse/admit-sms.js';
import { SmsProviders, type SmsMode } from '../../notifications/providers/sms-providers.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { ImportUsersStore, type SmsToEnqueue } from './import-users.store.js';

/**
 * The SMS that an import calls for: all of a chunk at once and last in its transaction, so that the counts of the
 * limits are held for a moment only. A limit stops messages and no record.
 */
@Injectable()
export class EnqueueImportSms {
  constructor(
    private readonly providers: SmsProviders,
    private readonly admitSms: AdmitSms,
    private readonly users: ImportUsersStore,
  ) {}

  /** Who makes the codes; asked before the transaction, once for all. */
  async mode(): Promise<SmsMode> {
    return await this.providers.mode();
  }

  /** @returns how many were queued */
  async execute(tx: Tx, mode: SmsMode, messages: readonly SmsToEnqueue[], now: Date): Promise<number> {
    if (mode.kind === 'none' || messages.length === 0) return 0;
    const refusals = await this.admitSms.admit(
      tx,
      messages.map(({ orgId, userId, target: number }) => ({
        orgId,
        userId,
        number,
        origin: 'import' as const,
        again: false,
      })),
    );
    const providerId = mode.kind === 'provider-code' ? mode.providerId : undefined;
    const admitted = messages.filter((_, index) => refusals[index] === undefined);
    await this.users.enqueueMessages(
      tx,
      admitted.map((message) => ({ ...message, providerId })),
      now,
    );
    return admitted.length;
  }
}
