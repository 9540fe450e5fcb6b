import { Injectable } from '@nestjs/common';
import type { VerificationPurpose } from './verification-code.js';
import { VerificationCodesStore, type VerificationLink } from './verification-codes.store.js';

/** What a link in a message is about. Whoever holds it may know that, so it names the user but proves nothing. */
@Injectable()
export class FindVerification {
  constructor(private readonly codes: VerificationCodesStore) {}

  /** Undefined for an unknown link and for one of another purpose. */
  async find(linkId: string, purpose: VerificationPurpose): Promise<VerificationLink | undefined> {
    const link = await this.codes.findLink(linkId);
    return link?.purpose === purpose ? link : undefined;
  }
}
