import { z } from 'zod';
import { decodeStrictBase64 } from '../../domain/passwords/schemes/strict-base64.js';
import type { BrandingPolicy } from '../../domain/policies/branding-policy.js';
import { LARGEST_LOGO_BYTES, logoOf, type Logo } from '../../domain/policies/logo.js';
import { languages } from '../../domain/shared/locale.js';
import { bodyReader, choice, name } from './api-fields.js';

const LONGEST_URL = 2048;

/** Empty text counts as none given, as protojson has it. */
function optional<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (value === '' ? undefined : value), schema.optional());
}

const accentColor = z
  .string({ error: 'must be a string' })
  .regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as #2b50d9')
  .toLowerCase();

/** It ends up in a link on our pages, so nothing but https gets in: no `javascript:`, no `data:`. */
const webAddress = z.string({ error: 'must be a string' }).superRefine((address, context) => {
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

const logo = z.string({ error: 'must be a string' }).transform((encoded, context): Logo => {
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
const TOO_LARGE = `must have at most ${LARGEST_LOGO_BYTES} bytes`;

const readFields = bodyReader({
  displayName: optional(name().meta({ minLength: 0, maxLength: 200 })),
  accentColor: optional(accentColor),
  logo: optional(logo),
  defaultLanguage: optional(choice(Object.fromEntries(languages.map((tag) => [tag, tag])))),
  helpUrl: optional(webAddress),
  privacyUrl: optional(webAddress),
});

/** Body of `PUT …/policies/branding`. @throws ApiError invalid-argument */
export const readBrandingPolicy = Object.assign(
  (body: unknown): BrandingPolicy => {
    const given = Object.entries(readFields(body)).filter(([, value]) => value !== undefined);
    return Object.fromEntries(given);
  },
  { schema: readFields.schema },
);
