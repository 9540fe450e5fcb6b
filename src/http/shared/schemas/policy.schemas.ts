import { z } from 'zod';
import {
  defaultAttemptPolicy,
  type AttemptPolicy,
} from '../../../domain/passwords/attempts/attempt-policy.js';
import { defaultPasswordPolicy, type PasswordPolicy } from '../../../domain/passwords/password-policy.js';
import { decodeStrictBase64 } from '../../../domain/passwords/schemes/strict-base64.js';
import type { BrandingPolicy } from '../../../domain/policies/branding-policy.js';
import type { HomeRealmState } from '../../../domain/policies/login-policies.js';
import { defaultLoginPolicy, type LoginPolicy } from '../../../domain/policies/login-policy.js';
import { logoOf, type Logo } from '../../../domain/policies/logo.js';
import type { StoredPolicy } from '../../../domain/policies/policies.store.js';
import {
  ACCENT_COLOR,
  LARGEST_LOGO_BYTES,
  PASSWORD_LENGTHS,
} from '../../../domain/policies/policy-limits.js';
import { ID_FORM, type OrgId } from '../../../domain/shared/ids.js';
import { languages } from '../../../domain/shared/locale.js';
import { name } from '../../../domain/shared/text-schemas.js';
import { answerFrom, detailsOfSetting, type Setting } from '../answers.js';
import { duration, shownDuration } from './duration.js';
import { shownLifetimes } from './token-policy.schemas.js';
import { wireEnumOf } from './wire-enum.js';

export function whole(least: number, most: number) {
  const rule = `must be a whole number from ${least} to ${most}`;
  return z
    .union([z.number(), z.string().regex(/^[0-9]{1,9}$/)], { error: rule })
    .transform(Number)
    .refine((value) => Number.isInteger(value) && value >= least && value <= most, rule);
}
export const shownNumber = answerFrom(z.string().regex(/^\d+$/), String);

/** What every policy is answered with. */
const about = { details: detailsOfSetting, isDefault: z.boolean() };

/** A policy that holds in an organization: its own, or the default. */
interface EffectivePolicy<Policy> extends Setting {
  readonly policy: Policy;
  /** What would hold if the organization had set nothing. */
  readonly inherited: Policy;
}

/** What an organization has set, else what holds where none has. */
export function holding<Policy>(
  owner: OrgId,
  stored: StoredPolicy<Policy> | undefined,
  usual: Policy,
): EffectivePolicy<Policy> {
  return { owner, stored, policy: stored?.policy ?? usual, inherited: usual };
}

const INHERITED = 'What would hold if the organization had set nothing.';

export function policyAnswer<Policy>(policy: z.ZodType<unknown, Policy>) {
  const inherited = policy.meta({ description: INHERITED });
  return answerFrom(z.object({ policy, inherited, ...about }), (held: EffectivePolicy<Policy>) => ({
    policy: held.policy,
    inherited: held.inherited,
    details: held,
    isDefault: held.stored === undefined,
  }));
}

export const passwordPolicyBody = z
  .strictObject({
    minLength: whole(PASSWORD_LENGTHS.least, PASSWORD_LENGTHS.most).default(defaultPasswordPolicy.minLength),
    hasLowercase: z.boolean().default(defaultPasswordPolicy.lowerCase),
    hasUppercase: z.boolean().default(defaultPasswordPolicy.upperCase),
    hasNumber: z.boolean().default(defaultPasswordPolicy.number),
    hasSymbol: z.boolean().default(defaultPasswordPolicy.symbol),
  })
  .meta({
    examples: [{ minLength: 12, hasLowercase: true, hasUppercase: true, hasNumber: true, hasSymbol: false }],
  })
  .transform(({ minLength, hasLowercase, hasUppercase, hasNumber, hasSymbol }): PasswordPolicy => ({
    minLength,
    lowerCase: hasLowercase,
    upperCase: hasUppercase,
    number: hasNumber,
    symbol: hasSymbol,
  }));

export const shownPasswordPolicy = answerFrom(
  z.object({
    minLength: shownNumber,
    hasLowercase: z.boolean(),
    hasUppercase: z.boolean(),
    hasNumber: z.boolean(),
    hasSymbol: z.boolean(),
  }),
  ({ minLength, lowerCase, upperCase, number, symbol }: PasswordPolicy) => ({
    minLength,
    hasLowercase: lowerCase,
    hasUppercase: upperCase,
    hasNumber: number,
    hasSymbol: symbol,
  }),
);
export const passwordPolicyAnswer = policyAnswer(shownPasswordPolicy);

export const lockoutPolicyBody = z
  .strictObject({
    maxPasswordAttempts: whole(1, 100).default(defaultAttemptPolicy.lockAfterFailures),
    freePasswordAttempts: whole(1, 100).optional(),
    firstWait: duration(1, 60).default(defaultAttemptPolicy.firstWaitSeconds),
    lockDuration: duration(60, 43_200).default(defaultAttemptPolicy.lockSeconds),
  })
  .meta({
    examples: [{ maxPasswordAttempts: 10, freePasswordAttempts: 5, firstWait: '2s', lockDuration: '900s' }],
  })
  .refine(({ maxPasswordAttempts: most, freePasswordAttempts: free = most }) => free <= most, {
    path: ['freePasswordAttempts'],
    error: 'must not exceed maxPasswordAttempts',
  })
  .transform(
    ({ maxPasswordAttempts: most, freePasswordAttempts: free, firstWait, lockDuration }): AttemptPolicy => ({
      freeFailures: free ?? Math.min(defaultAttemptPolicy.freeFailures, most),
      firstWaitSeconds: firstWait,
      lockAfterFailures: most,
      lockSeconds: lockDuration,
      forgetAfterSeconds: defaultAttemptPolicy.forgetAfterSeconds,
    }),
  );

export const shownLockoutPolicy = answerFrom(
  z.object({
    maxPasswordAttempts: shownNumber,
    freePasswordAttempts: shownNumber,
    firstWait: shownDuration,
    lockDuration: shownDuration,
  }),
  ({ lockAfterFailures, freeFailures, firstWaitSeconds, lockSeconds }: AttemptPolicy) => ({
    maxPasswordAttempts: lockAfterFailures,
    freePasswordAttempts: freeFailures,
    firstWait: firstWaitSeconds,
    lockDuration: lockSeconds,
  }),
);
export const lockoutPolicyAnswer = policyAnswer(shownLockoutPolicy);

export const tokenPolicyAnswer = policyAnswer(shownLifetimes);

interface EffectiveLoginPolicy extends EffectivePolicy<LoginPolicy> {
  readonly homeRealmIdpState: HomeRealmState | undefined;
}

/** As many buttons as anybody reads. */
const MOST_INSTANCE_IDPS = 20;

export const loginPolicyBody = z
  .strictObject({
    allowRegister: z.boolean().default(defaultLoginPolicy.allowRegister),
    requireLoginName: z.boolean().default(defaultLoginPolicy.requireLoginName),
    allowAccountDeletion: z.boolean().default(defaultLoginPolicy.allowAccountDeletion),
    allowExternalIdps: z.boolean().default(defaultLoginPolicy.allowExternalIdps),
    instanceIdps: z
      .array(z.string().regex(ID_FORM, 'must be an id'))
      .max(MOST_INSTANCE_IDPS, `must have at most ${MOST_INSTANCE_IDPS} entries`)
      .transform((ids): readonly string[] => [...new Set(ids)])
      .default([...defaultLoginPolicy.instanceIdps]),
    homeRealmIdpId: optional(z.string()),
  })
  .meta({
    examples: [
      {
        allowRegister: true,
        requireLoginName: false,
        allowAccountDeletion: false,
        allowExternalIdps: true,
        instanceIdps: [],
      },
    ],
  });
const shownLoginPolicy = z.object({
  allowRegister: z.boolean(),
  requireLoginName: z.boolean(),
  allowAccountDeletion: z.boolean(),
  allowExternalIdps: z.boolean(),
  instanceIdps: z.array(z.string()).readonly(),
  homeRealmIdpId: z.string().optional(),
});
const homeRealmIdpState = z.enum(['active', 'inactive', 'removed']).meta({
  description: 'Of the provider that homeRealmIdpId names: unless it is active, it leads nobody there.',
});
export const loginPolicyAnswer = answerFrom(
  z.object({
    policy: shownLoginPolicy,
    inherited: shownLoginPolicy.meta({ description: INHERITED }),
    homeRealmIdpState: homeRealmIdpState.optional(),
    ...about,
  }),
  ({ policy, inherited, homeRealmIdpState: state, ...held }: EffectiveLoginPolicy) => ({
    policy,
    inherited,
    homeRealmIdpState: state,
    details: held,
    isDefault: held.stored === undefined,
  }),
);

const LONGEST_URL = 2048;

/** Empty text counts as none given, as protojson has it. */
function optional<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (value === '' ? undefined : value), schema.optional());
}

const accentColor = z.string().regex(ACCENT_COLOR, 'must be a colour such as #2b50d9').toLowerCase();

/** It ends up in a link on our pages, so nothing but https gets in: no `javascript:`, no `data:`. */
const webAddress = z.string().superRefine((address, context) => {
  const problem = addressProblem(address);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});

function addressProblem(address: string): string | undefined {
  if (address.length > LONGEST_URL) return `is longer than ${LONGEST_URL} characters`;
  if (!/^[!-~]+$/.test(address) || address.includes('\\')) return 'has characters that a URL cannot have';
  // the parser would forgive a missing slash, and the table holds it to the prefix
  if (!address.startsWith('https://') || !URL.canParse(address)) return 'must be a URL with https://';
  const { username, password } = new URL(address);
  return username === '' && password === '' ? undefined : 'must not contain credentials';
}

const TOO_LARGE = `must have at most ${LARGEST_LOGO_BYTES} bytes`;
const logo = z.string().transform((encoded, context): Logo => {
  const refuse = (message: string): never => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  if (encoded.length > Math.ceil(LARGEST_LOGO_BYTES / 3) * 4) return refuse(TOO_LARGE);
  const content = decodeStrictBase64(encoded);
  if (content === undefined) return refuse('must be base64');
  if (content.length > LARGEST_LOGO_BYTES) return refuse(TOO_LARGE);
  return logoOf(content) ?? refuse('must be a PNG, JPEG or WebP picture');
});
const language = wireEnumOf(languages);

export const brandingPolicyBody = z
  .strictObject({
    displayName: optional(name().meta({ minLength: 0, maxLength: 200 })),
    accentColor: optional(accentColor),
    logo: optional(logo),
    defaultLanguage: optional(language),
    helpUrl: optional(webAddress),
    privacyUrl: optional(webAddress),
  })
  .meta({
    examples: [
      {
        displayName: 'Acme',
        accentColor: '#2b50d9',
        defaultLanguage: 'en',
        helpUrl: 'https://example.com/help',
        privacyUrl: 'https://example.com/privacy',
      },
    ],
  })
  .transform((given): BrandingPolicy =>
    Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  );

/** As PUT takes it. */
const shownBranding = z.object({
  displayName: z.string().optional(),
  accentColor: z.string().optional(),
  logo: answerFrom(z.base64(), ({ content }: Logo) => content.toString('base64')).optional(),
  defaultLanguage: z.string().optional(),
  helpUrl: z.string().optional(),
  privacyUrl: z.string().optional(),
});

export const brandingPolicyAnswer = answerFrom(
  z.object({ policy: shownBranding, logoUrl: z.url().optional(), ...about }),
  ({
    policy,
    logoUrl,
    ...held
  }: EffectivePolicy<BrandingPolicy> & { readonly logoUrl: string | undefined }) => ({
    policy,
    logoUrl,
    details: held,
    isDefault: held.stored === undefined,
  }),
);
