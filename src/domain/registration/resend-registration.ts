import { Injectable } from '@nestjs/common';
import type { RegistrationId } from '../shared/ids.js';
import { UnitOfWork } from '../shared/unit-of-work.js';
import { ResponseTimePadding } from '../sign-in/response-time-padding.js';
import { RegistrationCodes } from './registration-codes.js';
import { RegistrationsStore } from './registrations.store.js';

/** Sends another code for a registration. The owner of a known address was notified once, and is not notified again. */
@Injectable()
export class ResendRegistration {
  constructor(
    private readonly registrations: RegistrationsStore,
    private readonly codes: RegistrationCodes,
    private readonly unitOfWork: UnitOfWork,
    private readonly responseTimePadding: ResponseTimePadding,
  ) {}

  /** @returns false when it was too soon or too often; true reads the same for an empty registration */
  async execute(id: RegistrationId): Promise<boolean> {
    const startedAt = performance.now();
    const email = await this.registrations.findEmail(id);
    if (email === undefined) return false;
    const code = this.codes.make(id, email);
    const renewed = await this.unitOfWork.run(async (tx) => {
      const renewal = await this.registrations.renew(tx, id, code);
      if (renewal === undefined) return false;
      const { orgId, expiresAt } = renewal;
      if (expiresAt !== undefined) await this.codes.send(tx, orgId, id, code, expiresAt);
      return true;
    });
    await this.responseTimePadding.settle(startedAt);
    return renewed;
  }
}
