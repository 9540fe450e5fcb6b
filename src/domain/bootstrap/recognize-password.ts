import { Injectable } from '@nestjs/common';
import { HashingBill } from '../passwords/hashing/hashing-bill.js';
import { PasswordHashing } from '../passwords/hashing/password-hashing.js';
import { PasswordsStore } from '../passwords/passwords.store.js';
import type { UserId } from '../shared/ids.js';

interface RecognizedPassword {
  readonly hasPassword: boolean;
  /** Undefined if it is unknown: somebody chose another one, or there is none. */
  readonly password: string | undefined;
}

/** Which of several candidates is the user's current password. */
@Injectable()
export class RecognizePassword {
  constructor(
    private readonly passwords: PasswordsStore,
    private readonly hashing: PasswordHashing,
  ) {}

  async execute(userId: UserId, candidates: readonly (string | undefined)[]): Promise<RecognizedPassword> {
    const stored = await this.passwords.findByUser(userId);
    if (stored === undefined) return { hasPassword: false, password: undefined };
    for (const password of candidates) {
      if (password === undefined) continue;
      const { matches } = await this.hashing.verify(stored.hash, password, HashingBill.setUp());
      if (matches) return { hasPassword: true, password };
    }
    return { hasPassword: true, password: undefined };
  }
}
