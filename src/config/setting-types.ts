import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { isSupportedCountry } from 'libphonenumber-js';
import { z } from 'zod';
import { serversProblem } from './postgres-servers.js';

/** What can stand in a variable: each reads its text, and says what is wrong with it without repeating it. */

/** So many within any stretch of so much time. */
export interface Cap {
  readonly most: number;
  readonly withinSeconds: number;
}

/** What ranges of numbers are for (libphonenumber's types); `unknown` are those that it does not list. */
const NUMBER_TYPES = [
  'mobile',
  'fixed_line_or_mobile',
  'fixed_line',
  'voip',
  'toll_free',
  'shared_cost',
  'premium_rate',
  'personal_number',
  'pager',
  'uan',
  'voicemail',
  'unknown',
] as const;

const DURATION_UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `10s`, `15m`, `12h`, `30d` → milliseconds. */
export const duration = (minMs: number, maxMs: number) =>
  z
    .string()
    .regex(/^[0-9]{1,9}(ms|s|m|h|d)$/, 'must be a number with a unit: ms, s, m, h or d, as in 15m')
    .transform((text) => {
      const unit = /[a-z]+$/.exec(text)?.[0] as keyof typeof DURATION_UNITS;
      return Number.parseInt(text, 10) * DURATION_UNITS[unit];
    })
    .pipe(z.number().min(minMs, `must be at least ${minMs} ms`).max(maxMs, `must be at most ${maxMs} ms`));
export const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^[0-9]{1,12}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min).max(max));
export const port = whole(0, 65_535);
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);
/** An IP address or a network in CIDR notation, or one of the names that Fastify knows. */
export const address = z.string().refine(
  (text) => {
    const [host = '', bits, ...rest] = text.split('/');
    if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
    const longest = isIP(host) === 4 ? 32 : 128;
    return (
      isIP(host) !== 0 &&
      rest.length === 0 &&
      (bits === undefined || (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= longest))
    );
  },
  { message: 'must list IP addresses or networks such as 10.0.0.0/8' },
);
export const key32 = z
  .string()
  .refine((text) => Buffer.from(text, 'base64').length === 32 && /^[A-Za-z0-9+/]{43}=$/.test(text), {
    message: 'must be 32 bytes in base64, for example from: openssl rand -base64 32',
  });
/** `5/1h,9/1d`: so many within a time, each pair on its own; `off` for none. */
export const caps = z.string().transform((text, context): readonly Cap[] => {
  if (text === 'off') return [];
  return text.split(',').map((part) => {
    const [, most, span] = /^\s*([0-9]{1,9})\/([0-9]{1,9}(?:ms|s|m|h|d))\s*$/.exec(part) ?? [];
    const within = duration(1_000, 2_592_000_000).safeParse(span);
    if (most !== undefined && within.success)
      return { most: Number(most), withinSeconds: within.data / 1000 };
    context.addIssue({ code: 'custom', message: 'must be pairs such as 5/1h,9/1d, or off' });
    return z.NEVER;
  });
});
/** An amount of money → millionths, which add up without a remainder. */
export const money = z
  .string()
  .regex(/^[0-9]{1,9}(\.[0-9]{1,6})?$/, 'must be an amount such as 0.075')
  .transform((text) => Math.round(Number(text) * 1_000_000));
/** `default=0.10,41=0.07`: calling code of a country → what a message there costs. */
export const costs = list.transform((parts, context): Readonly<Record<string, number>> => {
  const prices = parts.map((part): [string, number] => {
    const [, code, amount] = /^(default|[1-9][0-9]{0,3})=(.+)$/.exec(part) ?? [];
    const price = money.safeParse(amount);
    if (code !== undefined && price.success) return [code, price.data];
    context.addIssue({ code: 'custom', message: 'must be pairs such as default=0.10,41=0.07' });
    return z.NEVER;
  });
  const known = Object.fromEntries(prices);
  if (known['default'] === undefined)
    context.addIssue({ code: 'custom', message: 'must say what others cost: default=' });
  return known;
});
/** ISO 3166-1 alpha-2 codes of countries that have telephone numbers of their own; `*` is all of them. */
export const countries = list.transform((codes, context): readonly string[] => {
  if (codes.length === 1 && codes[0] === 'none') return [];
  const unknown = codes.find((code) => code !== '*' && !isSupportedCountry(code));
  if (unknown !== undefined) {
    context.addIssue({ code: 'custom', message: 'must list countries such as CH,DE, or be * or none' });
  }
  return codes;
});
/** `*` is all of them. */
export const numberTypes = list.pipe(
  z
    .array(
      z.enum([...NUMBER_TYPES, '*'], {
        error: `must list types of numbers (${NUMBER_TYPES.join(', ')}), or be *`,
      }),
    )
    .min(1, 'must name a type of numbers such as mobile'),
);
/** An address of keys by https; on a developer's machine by http. */
const keysAddress = z.url({ protocol: /^https?$/, error: 'must be an https address' });
const publicKey = z
  .looseObject({ kty: z.string(), kid: z.string().min(1) })
  .refine((key) => !('d' in key) && !('k' in key), 'must be a public key');
const statementIssuer = z
  .strictObject({
    issuer: z.string().min(1, 'must not be empty').max(2_048),
    jwksUri: keysAddress.optional(),
    jwks: z.object({ keys: z.array(publicKey).min(1).max(20) }).optional(),
  })
  .refine(
    ({ jwksUri, jwks }) => (jwksUri === undefined) !== (jwks === undefined),
    'has either jwksUri or jwks',
  );
/** A list in JSON: who they are, and their public keys. */
export const statementIssuers = z.string().transform((text, context) => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'must be a list in JSON' });
    return z.NEVER;
  }
  const parsed = z.array(statementIssuer).max(100).safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  context.addIssue({
    code: 'custom',
    message: `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim(),
  });
  return z.NEVER;
});

export const publicUrl = z.string().transform((text, context) => {
  const problem = publicUrlProblem(text);
  if (problem !== undefined) {
    context.addIssue({ code: 'custom', message: problem });
    return z.NEVER;
  }
  return text;
});

/** Names that have a meaning of their own: a value of theirs would be taken for a certificate. */
const NO_CERTIFICATE_HEADERS = new Set([
  'authorization',
  'cookie',
  'dpop',
  'forwarded',
  'host',
  'x-forwarded-for',
]);
export const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, 'must be the name of a header such as Client-Cert')
  .transform((name) => name.toLowerCase())
  .refine((name) => !NO_CERTIFICATE_HEADERS.has(name), 'must be a header that nothing else is sent in');
/** Certificates of authorities one after another in PEM; each with the lines around it. */
export const authorities = z.string().transform((text, context): readonly string[] => {
  const found = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  if (found.length > 0 && found.every(isAuthority)) return found;
  context.addIssue({ code: 'custom', message: 'must be certificates of authorities in PEM' });
  return z.NEVER;
});
function isAuthority(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false;
  }
}

/** Of a range API: the digits of the hash are put behind it. */
export const rangeUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .transform((text) => (text.endsWith('/') ? text : `${text}/`));

/** Of one server or several (postgres-servers.ts), of which one takes writes unless `any` will do. */
export const postgresUrl = (which?: 'any') =>
  z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must start with postgres://')
    .superRefine((text, context) => {
      const problem = serversProblem(text, which);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    });

export function twilioSid(prefix: 'AC' | 'MG' | 'VA') {
  // another kind of id, such as that of an API key, is the usual mistake
  return z.string().regex(new RegExp(`^${prefix}[0-9A-Za-z]{1,62}$`), `must begin with ${prefix}`);
}

/** The issuer is compared byte for byte by clients, so the URL must be written exactly one way. */
function publicUrlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be an absolute URL such as https://id.example.com';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must start with https:// or http://';
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  if (url.search !== '' || url.hash !== '') return 'must not have a query or a fragment';
  if (url.pathname !== '/' || text !== url.origin) {
    return `must be an origin without path or trailing slash, in canonical form (${url.origin})`;
  }
  return undefined;
}

/** `name=value,name=value`, values percent-encoded: how OpenTelemetry writes headers and attributes in a variable. */
export const baggage = z.string().transform((text, context) => {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  const read = pairs.map((pair) => /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*([!-~]*)\s*$/.exec(pair));
  const values = read.map((found) => [found?.[1], decoded(found?.[2])] as const);
  if (values.every((pair): pair is readonly [string, string] => pair.every((part) => part !== undefined))) {
    return Object.fromEntries(values);
  }
  context.addIssue({ code: 'custom', message: 'must be name=value,name=value, values percent-encoded' });
  return z.NEVER;
});

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
