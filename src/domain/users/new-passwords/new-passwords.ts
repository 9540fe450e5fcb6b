import { Injectable } from '@nestjs/common';
import type { HashingBill } from '../../passwords/hashing/hashing-bill.js';
import { PasswordHashing } from '../../passwords/hashing/password-hashing.js';
import {
  brokenRules,
  isTooLong,
  passwordRefusal,
  requirePasswordText,
  type PasswordPolicy,
  type PasswordRuleName,
} from '../../passwords/password-policy.js';
import type { EncodedPassword } from '../../passwords/passwords.store.js';
import { BreachedPasswords } from '../../passwords/strength/breached-passwords.js';
import { PasswordStrength } from '../../passwords/strength/password-strength.js';
import { PasswordPolicies } from '../../policies/security-policy.js';
import type { OrgId, UserId } from '../../shared/ids.js';
import type { User } from '../user.js';
import { UsersStore } from '../users.store.js';

export interface PasswordCandidate {
  /** Whose policy holds. */
  readonly orgId: OrgId;
  /** Whose it will be, or what they are called while there is no user. */
  readonly user: UserId | readonly string[];
  readonly password: string;
  readonly bill: HashingBill;
}

export type NewPasswordRefusal =
  | { readonly kind: 'password-too-long' }
  | { readonly kind: 'password-too-weak'; readonly unmet: readonly PasswordRuleName[] };

/**
 * Judges a password that somebody chooses, and hashes it: it must be what the policy asks, and hard to guess whatever the
 * policy says. Judging and hashing take their time and belong before a transaction.
 */
@Injectable()
export class NewPasswords {
  constructor(
    private readonly policies: PasswordPolicies,
    private readonly users: UsersStore,
    private readonly strength: PasswordStrength,
    private readonly breached: BreachedPasswords,
    private readonly hashing: PasswordHashing,
  ) {}

  /** What length and policy alone say against it, which costs nothing to look at. */
  async refusal(orgId: OrgId, password: string): Promise<NewPasswordRefusal | undefined> {
    if (isTooLong(password)) return { kind: 'password-too-long' };
    const unmet = await this.brokenRules(orgId, password);
    return unmet.length > 0 ? { kind: 'password-too-weak', unmet } : undefined;
  }

  /**
   * Every rule that it breaks. What costs more to look at is looked at once the policy is content.
   *
   * @param judgedBy whose policy was found content with it a moment ago; it is not read again
   * @throws HashingOverloaded
   */
  async missed(
    { orgId, user, password, bill }: PasswordCandidate,
    judgedBy?: OrgId,
  ): Promise<readonly PasswordRuleName[]> {
    const broken = orgId === judgedBy ? [] : await this.brokenRules(orgId, password);
    if (broken.length > 0) return broken;
    const about = typeof user === 'string' ? wordsAbout(await this.users.find(orgId, user)) : user;
    if (await this.strength.isGuessable(password, about, bill)) return ['unguessable'];
    return (await this.breached.isKnown(password)) ? ['unbreached'] : [];
  }

  /** Judges and hashes one that `refusal` found nothing against. @param judgedBy as for `missed` @throws HashingOverloaded */
  async accept(
    candidate: PasswordCandidate,
    judgedBy: OrgId,
  ): Promise<NewPasswordRefusal | { readonly kind: 'accepted'; readonly encoded: EncodedPassword }> {
    const unmet = await this.missed(candidate, judgedBy);
    if (unmet.length > 0) return { kind: 'password-too-weak', unmet };
    return { kind: 'accepted', encoded: await this.encode(candidate.password, candidate.bill) };
  }

  /** Judges and hashes. @throws ApiError invalid-argument for the first rule that it breaks, HashingOverloaded */
  async require(candidate: PasswordCandidate): Promise<EncodedPassword> {
    requirePasswordText(candidate.password);
    const [missed] = await this.missed(candidate);
    if (missed !== undefined) throw passwordRefusal(missed);
    return await this.encode(candidate.password, candidate.bill);
  }

  /** What the organization asks of every password in clear, also of one that somebody brings along and that may be easy to guess. */
  async policyOf(orgId: OrgId): Promise<PasswordPolicy> {
    return await this.policies.find(orgId);
  }

  /** Hashes one that was judged already, or that nobody chose. @throws HashingOverloaded */
  async encode(password: string, bill: HashingBill): Promise<EncodedPassword> {
    return await this.hashing.encode(password, bill);
  }

  private async brokenRules(orgId: OrgId, password: string): Promise<readonly PasswordRuleName[]> {
    return brokenRules(await this.policyOf(orgId), password);
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
