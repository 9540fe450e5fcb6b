import { nameFault } from '../shared/hidden-characters.js';
import { isEmailAddress, isPlainAddress } from './email-address.js';
import type { HumanUser } from './user.js';

export type EmailProblem = 'email-missing' | 'email-not-valid';

/** What is wrong with an address that somebody typed, without the blanks around it. */
export function emailProblem(email: string): EmailProblem | undefined {
  if (email === '') return 'email-missing';
  return isEmailAddress(email) && isPlainAddress(email) && nameFault(email) === undefined
    ? undefined
    : 'email-not-valid';
}

/** Reads the address that is to take the place of the present one. */
export function readEmail(
  typed: string | undefined,
  { address: present, verified }: HumanUser['email'],
): { readonly address: string } | { readonly problem: EmailProblem | 'email-unchanged' } {
  const address = (typed ?? '').trim();
  const problem = emailProblem(address);
  if (problem !== undefined) return { problem };
  return verified && address === present ? { problem: 'email-unchanged' } : { address };
}
