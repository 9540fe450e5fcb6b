import { z } from 'zod';
import { defaultAttemptPolicy, type AttemptPolicy } from '../../domain/passwords/attempt-policy.js';
import { defaultPasswordPolicy, type PasswordPolicy } from '../../domain/passwords/password-policy.js';
import { ApiError } from '../../domain/shared/errors.js';
import { bodyReader } from './api-fields.js';
import { duration } from './token-lifetimes.js';

function whole(least: number, most: number) {
  const rule = `must be a whole number from ${least} to ${most}`;
  return z
    .union([z.number(), z.string().regex(/^[0-9]{1,9}$/)], { error: rule })
    .transform(Number)
    .refine((value) => Number.isInteger(value) && value >= least && value <= most, rule);
}

function flagOr(usual: boolean) {
  return z.boolean({ error: 'must be true or false' }).default(usual);
}

/** More than 72 would leave nobody a password that older schemes can hold whole. */
export const readPasswordPolicy = bodyReader({
  minLength: whole(8, 72).default(defaultPasswordPolicy.minLength),
  hasLowercase: flagOr(defaultPasswordPolicy.lowerCase),
  hasUppercase: flagOr(defaultPasswordPolicy.upperCase),
  hasNumber: flagOr(defaultPasswordPolicy.number),
  hasSymbol: flagOr(defaultPasswordPolicy.symbol),
});
export const readLockoutPolicy = bodyReader({
  maxPasswordAttempts: whole(1, 100).default(defaultAttemptPolicy.lockAfterFailures),
  freePasswordAttempts: whole(1, 100).optional(),
  firstWait: duration(1, 60).default(defaultAttemptPolicy.firstWaitSeconds),
  lockDuration: duration(60, 43_200).default(defaultAttemptPolicy.lockSeconds),
});

export function passwordPolicyOf(fields: ReturnType<typeof readPasswordPolicy>): PasswordPolicy {
  const { minLength, hasLowercase, hasUppercase, hasNumber, hasSymbol } = fields;
  return {
    minLength,
    lowerCase: hasLowercase,
    upperCase: hasUppercase,
    number: hasNumber,
    symbol: hasSymbol,
  };
}

/** @throws ApiError invalid-argument */
export function lockoutPolicyOf(fields: ReturnType<typeof readLockoutPolicy>): AttemptPolicy {
  const { maxPasswordAttempts, firstWait, lockDuration, freePasswordAttempts } = fields;
  const free = freePasswordAttempts ?? Math.min(defaultAttemptPolicy.freeFailures, maxPasswordAttempts);
  if (free > maxPasswordAttempts) {
    throw new ApiError('invalid-argument', 'freePasswordAttempts must not exceed maxPasswordAttempts');
  }
  return {
    freeFailures: free,
    firstWaitSeconds: firstWait,
    lockAfterFailures: maxPasswordAttempts,
    lockSeconds: lockDuration,
    forgetAfterSeconds: defaultAttemptPolicy.forgetAfterSeconds,
  };
}

export function shownPassword(policy: PasswordPolicy): object {
  return {
    minLength: String(policy.minLength),
    hasLowercase: policy.lowerCase,
    hasUppercase: policy.upperCase,
    hasNumber: policy.number,
    hasSymbol: policy.symbol,
  };
}

export function shownLockout(policy: AttemptPolicy): object {
  return {
    maxPasswordAttempts: String(policy.lockAfterFailures),
    freePasswordAttempts: String(policy.freeFailures),
    firstWait: `${policy.firstWaitSeconds}s`,
    lockDuration: `${policy.lockSeconds}s`,
  };
}
