import type { ExternalClaims } from '../../domain/identity-providers/claim-mapping.js';
import type { OAuthProvider } from '../../domain/identity-providers/identity-provider.js';
import { LONGEST_SUBJECT, ProviderRefused } from '../../domain/identity-providers/provider-client.js';

/** What tokens and answers of a provider say of who somebody is. */

/** Undefined for what could not be kept. */
export function sessionOf(value: unknown): string | undefined {
  return typeof value === 'string' &&
    value !== '' &&
    value.length <= LONGEST_SUBJECT &&
    !value.includes('\u0000')
    ? value
    : undefined;
}

/** Two directories may call different people the same. */
export function tenantSubject({
  tid,
  sub,
}: {
  readonly tid?: unknown;
  readonly sub: string;
}): string | undefined {
  return typeof tid === 'string' && tid !== '' ? `${tid}/${sub}` : undefined;
}

/** @throws ProviderRefused for what nobody can be known by */
export function subjectOf(value: unknown): string {
  const subject = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (
    typeof subject === 'string' &&
    subject !== '' &&
    subject.length <= LONGEST_SUBJECT &&
    !subject.includes('\u0000') &&
    !/\p{Cs}/u.test(subject)
  )
    return subject;
  throw new ProviderRefused('the subject is none');
}

/** Apple sends a name once, beside the code, through the browser: only names are read from there. */
export function namesFrom({ kind }: OAuthProvider, parameters: URLSearchParams): ExternalClaims {
  const user = kind === 'apple' ? parameters.get('user') : null;
  if (user === null) return {};
  try {
    const { name } = JSON.parse(user) as { name?: { firstName?: unknown; lastName?: unknown } };
    return { given_name: name?.firstName, family_name: name?.lastName };
  } catch {
    return {};
  }
}
