import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EnqueueNotification } from '../notifications/enqueue-notification.js';
import { Sealer } from '../secrets/sealer.js';
import { addressGroup } from '../shared/address-group.js';
import type { OrgId, RegistrationId } from '../shared/ids.js';
import { randomCode, randomId } from '../shared/random.js';
import type { Tx } from '../shared/unit-of-work.js';
import { readTypedCode } from '../users/verification/verification-code.js';
import type { RegistrationCode } from './registrations.store.js';

interface FreshCode extends RegistrationCode {
  /** In clear, for the mail alone. */
  readonly plain: string;
}

/** Codes of registrations, kept as an HMAC over registration, address and code. */
@Injectable()
export class RegistrationCodes {
  constructor(
    private readonly sealer: Sealer,
    private readonly enqueueNotification: EnqueueNotification,
  ) {}

  make(id: RegistrationId, email: string): FreshCode {
    const plain = randomCode();
    return { id: randomId(), hash: this.macOf(id, email, plain), plain };
  }

  /** Takes the same time for an empty registration, whose hash is undefined. */
  isRight(id: string, email: string, codeHash: Buffer | undefined, typed: string): boolean {
    const given = this.macOf(id, email, readTypedCode(typed));
    return timingSafeEqual(given, codeHash ?? Buffer.alloc(given.length)) && codeHash !== undefined;
  }

  /** Enqueues the mail that brings the code, in the caller's transaction. */
  async send(
    tx: Tx,
    orgId: OrgId,
    registrationId: RegistrationId,
    code: FreshCode,
    expiresAt: Date,
  ): Promise<void> {
    await this.enqueueNotification.execute(tx, {
      orgId,
      userId: null,
      registrationId,
      template: 'register',
      codeId: code.id,
      code: code.plain,
      expiresAt,
    });
  }

  /** Addresses are personal data, so that rows have a digest in place of them. */
  sourceOf(address: string): Buffer {
    return this.sealer.mac('registration-source', addressGroup(address));
  }

  private macOf(id: string, email: string, code: string): Buffer {
    return this.sealer.mac('registration-code', [id, email, code].join('\u0000'));
  }
}
