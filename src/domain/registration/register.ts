import { Injectable } from '@nestjs/common';
import { EnqueueNotification } from '../notifications/enqueue-notification.js';
import { HashingBill } from '../passwords/hashing-bill.js';
import { PasswordHashing } from '../passwords/password-hashing.js';
import { isTooLong, type PasswordRuleName } from '../passwords/password-policy.js';
import { ApiError } from '../shared/errors.js';
import type { AuthRequestId, OrgId, RegistrationId, UserId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { randomId } from '../shared/random.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';
import { ResponseTimePadding } from '../sign-in/response-time-padding.js';
import { canonicalName } from '../users/canonical-name.js';
import { JudgeNewPassword } from '../users/judge-new-password.js';
import { domainOfUserName, userNameIn } from '../users/user-name.js';
import { UsersStore } from '../users/users.store.js';
import {
  isNamedByAddress,
  readRegistration,
  type RegistrationFields,
  type RegistrationProblem,
  type TypedRegistration,
} from './read-registration.js';
import { RegistrationCodes } from './registration-codes.js';
import { RegistrationPolicy } from './registration-policy.js';
import { RegistrationsStore, type KnownNames } from './registrations.store.js';

export interface RegisterCommand {
  readonly orgId: OrgId;
  readonly flowId: AuthRequestId;
  readonly typed: TypedRegistration;
  readonly password: string;
  /** Where the request came from. */
  readonly source: string;
  /** BCP 47 tag of the page, for the mail and the account. */
  readonly locale: string;
}

export type RegisterResult =
  | { readonly kind: 'off' }
  | { readonly kind: 'refused'; readonly problems: readonly RegistrationProblem[] }
  | NewPasswordRefusal
  /** A code is asked for, whether or not the address is known already. */
  | { readonly kind: 'asked'; readonly id: RegistrationId };

export type NewPasswordRefusal =
  | { readonly kind: 'password-too-long' }
  | { readonly kind: 'password-too-weak'; readonly unmet: readonly PasswordRuleName[] };

/**
 * Takes in a registration. Names are public, so a taken login name is told. Addresses are not: for a known one the
 * answer is the same, a code is asked for, and the owner of the mailbox gets a notice in its place. Where the login name
 * is the address itself, it is told no more than the address.
 */
@Injectable()
export class Register {
  constructor(
    private readonly policy: RegistrationPolicy,
    private readonly judge: JudgeNewPassword,
    private readonly registrations: RegistrationsStore,
    private readonly codes: RegistrationCodes,
    private readonly users: UsersStore,
    private readonly hashing: PasswordHashing,
    private readonly enqueueNotification: EnqueueNotification,
    private readonly unitOfWork: UnitOfWork,
    private readonly responseTimePadding: ResponseTimePadding,
    private readonly log: Log,
  ) {}

  /** What the policy says against a password, to be told together with the problems of other fields. */
  async refusePassword(orgId: OrgId, password: string): Promise<NewPasswordRefusal | undefined> {
    if (isTooLong(password)) return { kind: 'password-too-long' };
    const unmet = await this.judge.brokenRules(orgId, password);
    return unmet.length > 0 ? { kind: 'password-too-weak', unmet } : undefined;
  }

  /** Throws HashingOverloaded. */
  async execute(command: RegisterCommand): Promise<RegisterResult> {
    const startedAt = performance.now();
    const { orgId, typed, password } = command;
    const terms = await this.policy.find(orgId);
    if (terms === undefined) return { kind: 'off' };
    const read = readRegistration(typed, terms);
    if ('problems' in read) return { kind: 'refused', problems: read.problems };
    const { fields } = read;
    const bill = HashingBill.page(orgId, command.source);
    const user = [fields.email, fields.loginName];
    const unmet = await this.judge.missed({ orgId, user, password, bill });
    if (unmet.length > 0) return { kind: 'password-too-weak', unmet };
    const userName = await this.userNameOf(orgId, fields.loginName);
    const namedByAddress = isNamedByAddress(fields);
    if (userName === undefined) {
      return {
        kind: 'refused',
        problems: [namedByAddress ? 'email-not-available' : 'login-name-not-available'],
      };
    }
    const emailCanonical = canonicalName(fields.email);
    const known = await this.registrations.findKnown(orgId, canonicalName(userName), emailCanonical);
    if (known.byUserName !== undefined && !namedByAddress) {
      return { kind: 'refused', problems: ['login-name-not-available'] };
    }
    const id = randomId() as RegistrationId;
    // for nobody's sake, where the address is known: both take the same time
    const passwordHash = await this.hashing.hash(password, bill);
    await this.unitOfWork.run((tx) =>
      this.store(tx, id, command, { ...fields, userName, emailCanonical, passwordHash }, known),
    );
    await this.responseTimePadding.settle(startedAt);
    return { kind: 'asked', id };
  }

  /** Undefined when another organization has verified the domain that the name ends with. */
  private async userNameOf(orgId: OrgId, loginName: string): Promise<string | undefined> {
    const [reserved] = await this.users.reserve([domainOfUserName(loginName)]);
    try {
      return userNameIn(orgId, loginName, reserved?.domainOwner);
    } catch (error) {
      if (error instanceof ApiError && error.kind === 'invalid-argument') return undefined;
      throw error;
    }
  }

  private async store(
    tx: Tx,
    id: RegistrationId,
    { orgId, flowId, locale }: RegisterCommand,
    fields: RegistrationFields & { userName: string; emailCanonical: string; passwordHash: string },
    known: KnownNames,
  ): Promise<void> {
    const { passwordHash, ...names } = fields;
    const isFree = known.byEmail === undefined && known.byUserName === undefined;
    const code = this.codes.make(id, fields.email);
    const secrets = isFree ? { passwordHash, code } : undefined;
    const expiresAt = await this.registrations.add(tx, { id, orgId, flowId, locale, ...names, secrets });
    const outcome = expiresAt === undefined ? 'too many for one address' : isFree ? 'code sent' : 'known';
    this.log.info('registration begun', { orgId, outcome });
    if (expiresAt === undefined) return;
    if (isFree) return await this.codes.send(tx, orgId, id, code, expiresAt);
    if (known.byEmail !== undefined) await this.notifyOwner(tx, orgId, known.byEmail);
  }

  private async notifyOwner(tx: Tx, orgId: OrgId, userId: UserId): Promise<void> {
    const template = 'account_exists';
    await this.enqueueNotification.notify(tx, { orgId, userId, template });
  }
}
