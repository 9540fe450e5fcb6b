import de from '../../../locales/console/de/directories.json';
import en from '../../../locales/console/en/directories.json';
import { words } from '../app/words.ts';
import type { Tone } from '../shared/state.tsx';

const t = words({ en, de });
const WARNING_MS = 30 * 24 * 3_600_000;

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
