import { Injectable } from '@nestjs/common';
import { HashingBill } from '../passwords/hashing/hashing-bill.js';
import type { OrgId, RegistrationId } from '../shared/ids.js';
import { ResponseTimePadding } from '../sign-in/response-time-padding.js';
import { NewPasswords, type NewPasswordRefusal } from '../users/new-passwords/new-passwords.js';
import { BeginRegistration, type RegistrationPlace } from './begin-registration.js';
import {
  isNamedByAddress,
  readRegistration,
  type RegistrationProblem,
  type TypedRegistration,
} from './read-registration.js';
import { RegistrationNames } from './registration-names.js';
import { RegistrationPolicy } from './registration-policy.js';

interface RegisterCommand extends RegistrationPlace {
  readonly typed: TypedRegistration;
  readonly password: string;
  /** Whose policy `refusePassword` found content with it a moment ago; it is not read again. */
  readonly judgedBy: OrgId;
}

type RegisterResult =
  | { readonly kind: 'off' }
  | { readonly kind: 'refused'; readonly problems: readonly RegistrationProblem[] }
  | NewPasswordRefusal
  /** A code is asked for, whether or not the address is known already. */
  | { readonly kind: 'asked'; readonly id: RegistrationId };

/**
 * Accepts a registration. Names are public, so a taken login name is reported. Addresses are not: for a known one the
 * answer is the same, a code is asked for, and the owner of the mailbox gets a notice instead. If the login name
 * is the address itself, it is treated like the address.
 */
@Injectable()
export class Register {
  constructor(
    private readonly policy: RegistrationPolicy,
    private readonly newPasswords: NewPasswords,
    private readonly names: RegistrationNames,
    private readonly beginRegistration: BeginRegistration,
    private readonly responseTimePadding: ResponseTimePadding,
  ) {}

  /** The password's violations of the policy, to be reported together with the problems of other fields. */
  async refusePassword(orgId: OrgId, password: string): Promise<NewPasswordRefusal | undefined> {
    return await this.newPasswords.refusal(orgId, password);
  }

  /** Throws HashingOverloaded. */
  async execute(command: RegisterCommand): Promise<RegisterResult> {
    const startedAt = performance.now();
    const { orgId, typed, password, judgedBy } = command;
    const terms = await this.policy.find(orgId);
    if (terms === undefined) return { kind: 'off' };
    const read = readRegistration(typed, terms);
    if ('problems' in read) return { kind: 'refused', problems: read.problems };
    const { fields } = read;
    const bill = HashingBill.page(orgId, command.source);
    const user = [fields.email, fields.loginName];
    const unmet = await this.newPasswords.missed({ orgId, user, password, bill }, judgedBy);
    if (unmet.length > 0) return { kind: 'password-too-weak', unmet };
    const names = await this.names.find(orgId, fields);
    const namedByAddress = isNamedByAddress(fields);
    if (names === undefined) {
      return {
        kind: 'refused',
        problems: [namedByAddress ? 'email-not-available' : 'login-name-not-available'],
      };
    }
    if (names.known.byUserName !== undefined && !namedByAddress) {
      return { kind: 'refused', problems: ['login-name-not-available'] };
    }
    // where the address is known the hash is thrown away: both cases take the same time
    const { hash: passwordHash } = await this.newPasswords.encode(password, bill);
    const id = await this.beginRegistration.execute(command, { ...fields, ...names, passwordHash });
    await this.responseTimePadding.settle(startedAt);
    return { kind: 'asked', id };
  }
}
