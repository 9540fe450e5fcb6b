import { Injectable } from '@nestjs/common';
import type { HashingBill } from '../passwords/hashing-bill.js';
import {
  brokenRules,
  passwordRefusal,
  requirePasswordText,
  type PasswordRuleName,
} from '../passwords/password-policy.js';
import { BreachedPasswords } from '../passwords/strength/breached-passwords.js';
import { PasswordStrength } from '../passwords/strength/password-strength.js';
import { PasswordPolicies } from '../policies/password-policies.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { User } from './user.js';
import { UsersStore } from './users.store.js';

export interface NewPassword {
  /** Whose policy holds. */
  readonly orgId: OrgId;
  /** Whose it will be, or what they are called while there is no user. */
  readonly user: UserId | readonly string[];
  readonly password: string;
  readonly bill: HashingBill;
}

/** What a password that somebody chooses must be: what the policy asks, and hard to guess whatever the policy says. */
@Injectable()
export class JudgeNewPassword {
  constructor(
    private readonly policies: PasswordPolicies,
    private readonly users: UsersStore,
    private readonly strength: PasswordStrength,
    private readonly breached: BreachedPasswords,
  ) {}

  /** The rules of the policy alone, which cost nothing to look at. */
  async brokenRules(orgId: OrgId, password: string): Promise<readonly PasswordRuleName[]> {
    return brokenRules(await this.policies.find(orgId), password);
  }

  /**
   * Every rule that it breaks. What costs more to look at is looked at once the policy is content.
   *
   * @param judgedBy whose policy was found content with it a moment ago; it is not read again
   * @throws HashingOverloaded
   */
  async missed(
    { orgId, user, password, bill }: NewPassword,
    judgedBy?: OrgId,
  ): Promise<readonly PasswordRuleName[]> {
    const broken = orgId === judgedBy ? [] : await this.brokenRules(orgId, password);
    if (broken.length > 0) return broken;
    const about = typeof user === 'string' ? wordsAbout(await this.users.find(orgId, user)) : user;
    if (await this.strength.isGuessable(password, about, bill)) return ['unguessable'];
    return (await this.breached.isKnown(password)) ? ['unbreached'] : [];
  }

  /** @throws ApiError invalid-argument for the first rule that it breaks, HashingOverloaded */
  async require(candidate: NewPassword): Promise<void> {
    requirePasswordText(candidate.password);
    const [missed] = await this.missed(candidate);
    if (missed !== undefined) throw passwordRefusal(missed);
  }
}

/** The login name brings the organization's domain along. */
function wordsAbout(user: User | undefined): readonly string[] {
  if (user === undefined) return [];
  if (user.type !== 'human') return [user.loginName];
  const { firstName, lastName, nickName, displayName } = user.profile;
  const words = [user.loginName, user.email.address, firstName, lastName, nickName, displayName];
  return words.filter((word) => word !== undefined);
}
