import { Injectable } from '@nestjs/common';
import { HashingBill } from '../passwords/hashing/hashing-bill.js';
import type { EncodedPassword } from '../passwords/passwords.store.js';
import type { OrgId } from '../shared/ids.js';
import { randomToken } from '../shared/random.js';
import { NewPasswords } from '../users/new-passwords/new-passwords.js';

export interface AdministratorPlan {
  readonly userName: string;
  readonly email: string;
  /** Configured; good for an administrator who has none yet. */
  readonly password: string | undefined;
}

interface ChosenPassword {
  readonly password: string;
  readonly encoded: EncodedPassword;
}

/** The password that an administrator gets: the configured one, or one that is made because there is somebody to keep it. */
@Injectable()
export class ChooseAdministratorPassword {
  constructor(private readonly newPasswords: NewPasswords) {}

  /**
   * The policy of the organization that runs the instance is for a configured password: one that is made is longer than
   * any policy could ask for in strength.
   *
   * @returns undefined where none is configured, and none is to be made
   * @throws ApiError invalid-argument
   */
  async execute(
    orgId: OrgId,
    { userName, email, password }: AdministratorPlan,
    makePassword: boolean,
  ): Promise<ChosenPassword | undefined> {
    const bill = HashingBill.setUp();
    if (password !== undefined) {
      const user = [userName, email];
      return { password, encoded: await this.newPasswords.require({ orgId, user, password, bill }) };
    }
    if (!makePassword) return undefined;
    const made = newPassword();
    return { password: made, encoded: await this.newPasswords.encode(made, bill) };
  }
}

/** 120 random bits, and one character of every kind that the policy may ask for. */
function newPassword(): string {
  return `${randomToken(15)}.Aa1`;
}
