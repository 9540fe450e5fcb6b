import de from '../../../locales/console/de/directories.json';
import en from '../../../locales/console/en/directories.json';
import { momentOf, universalDayOf, words } from '../app/words.ts';
import type { Tone } from '../shared/state.tsx';

const t = words({ en, de });
const WARNING_MS = 30 * 24 * 3_600_000;

interface Expiring {
  /** When the first of the secret and the certificates expires. */
  readonly expirationDate?: string;
  /** The secret's own, which is a day in the form. */
  readonly secretExpirationDate?: string;
}

/** When it expires: a day for a secret, a moment for a certificate. */
export function expiresOn({ expirationDate, secretExpirationDate = '' }: Expiring): string | undefined {
  if (expirationDate === undefined) return undefined;
  const isSecret = Date.parse(expirationDate) === Date.parse(secretExpirationDate);
  return isSecret ? universalDayOf(expirationDate) : momentOf(expirationDate);
}

/** Of a provider or an old system whose secret or certificates are about to expire, or have. */
export function expiryOf({
  expirationDate,
}: {
  readonly expirationDate?: string;
}): { readonly label: string; readonly tone: Tone } | undefined {
  const left =
    expirationDate === undefined ? Number.POSITIVE_INFINITY : Date.parse(expirationDate) - Date.now();
  if (left > WARNING_MS) return undefined;
  return left > 0 ? { label: t.states.expiring, tone: 'warning' } : { label: t.states.expired, tone: 'bad' };
}
