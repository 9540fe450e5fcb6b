import { z } from 'zod';
import {
  defaultFactorPolicy,
  FACTOR_KINDS,
  PASSKEY_COUNTERS,
  REQUIRED_FOR,
  SECOND_FACTORS,
  STEP_UPS,
  type FactorPolicy,
} from '../../../domain/policies/factor-policy.js';
import { MOST_TRUSTED_DAYS } from '../../../domain/policies/policy-limits.js';
import { answerFrom } from '../answers.js';
import { duration, shownDuration } from './duration.js';
import { policyAnswer, shownNumber, whole } from './policy.schemas.js';
import { wireEnumOf } from './wire-enum.js';

const secondFactor = wireEnumOf(SECOND_FACTORS);
const requiredFor = wireEnumOf(REQUIRED_FOR);
const kind = wireEnumOf(FACTOR_KINDS);
const passkeyCounter = wireEnumOf(PASSKEY_COUNTERS);
const stepUp = wireEnumOf(STEP_UPS);

const usual = defaultFactorPolicy;

/** The body of a policy; what is left out is as we deliver it. */
const fields = {
  secondFactor: secondFactor.default(usual.secondFactor),
  requiredFor: requiredFor.default(usual.requiredFor),
  kinds: z
    .array(kind)
    .min(1, 'must name a kind; to ask for no factor, set secondFactor to off')
    .max(FACTOR_KINDS.length)
    .refine((kinds) => new Set(kinds).size === kinds.length, 'must name each kind once')
    .default([...usual.kinds]),
  trustedBrowserDays: whole(0, MOST_TRUSTED_DAYS).default(usual.trustedBrowserDays),
  passkeyCounter: passkeyCounter.default(usual.passkeyCounter),
  stepUp: stepUp.default(usual.stepUp),
  stepUpMaxAge: duration(60, 86_400).default(usual.stepUpMaxAgeSeconds),
};
export const FACTOR_POLICY_FIELDS = Object.keys(fields);

export const factorPolicyBody = z
  .strictObject(fields)
  .meta({
    examples: [
      {
        secondFactor: 'required',
        requiredFor: 'owners',
        kinds: ['passkey', 'totp'],
        trustedBrowserDays: 30,
        passkeyCounter: 'refuse',
        stepUp: 'mfa',
        stepUpMaxAge: '900s',
      },
    ],
  })
  .transform(({ stepUpMaxAge, ...policy }): FactorPolicy => ({
    ...policy,
    stepUpMaxAgeSeconds: stepUpMaxAge,
  }));

/** As PUT takes it. */
export const shownFactorPolicy = answerFrom(
  z.object({
    secondFactor: z.enum(SECOND_FACTORS),
    requiredFor: z.enum(REQUIRED_FOR),
    kinds: z.array(z.enum(FACTOR_KINDS)),
    trustedBrowserDays: shownNumber,
    passkeyCounter: z.enum(PASSKEY_COUNTERS),
    stepUp: z.enum(STEP_UPS),
    stepUpMaxAge: shownDuration,
  }),
  ({ stepUpMaxAgeSeconds, kinds, ...policy }: FactorPolicy) => ({
    ...policy,
    kinds: [...kinds],
    stepUpMaxAge: stepUpMaxAgeSeconds,
  }),
);
export const factorPolicyAnswer = policyAnswer(shownFactorPolicy);
