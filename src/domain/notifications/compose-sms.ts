import type { ClaimedNotification } from './notifications.store.js';

/** The page that takes the code of an SMS. */
const PAGE = '/verify/phone';

/**
 * The text of an SMS with a code. Short, so that it stays one message; the code first, where a lock screen shows it.
 *
 * @param code undefined where the provider writes the text itself
 */
export function composeSms(
  notification: ClaimedNotification,
  code: string | undefined,
  { issuer }: { readonly issuer: string },
): { text: string; language: string } {
  const language = notification.preferredLanguage ?? notification.organization.defaultLanguage ?? 'en';
  if (code === undefined) return { text: '', language };
  const link = new URL(PAGE, issuer);
  link.searchParams.set('id', notification.codeId);
  link.searchParams.set('code', code);
  return { text: `${code} is your code for ${notification.organization.name}. ${link.href}`, language };
}
