import de from '../../../locales/console/de/errors.json';
import en from '../../../locales/console/en/errors.json';
import type { Refused } from '../api/client.ts';
import { language, words } from '../app/words.ts';

const t = words({ en, de });

/** By the code of the API. What is not here says enough by its status. */
const KINDS: Readonly<Partial<Record<number, string>>> = {
  3: t.kinds.invalid,
  5: t.kinds.notFound,
  6: t.kinds.exists,
  7: t.kinds.forbidden,
  8: t.kinds.tooMany,
  9: t.kinds.precondition,
  10: t.kinds.conflict,
};
const RULES: Readonly<Partial<Record<string, string>>> = t.rules;
/** How the API says that a field is missing, or empty where it must not be. */
const MISSING = /\bis required\b|\bmust have 1 to\b|\bmust not be empty\b/;

/** The sentence of the console about a rule that refused, by its id. */
export function ruleWords(id: string | undefined): string | undefined {
  return id === undefined ? undefined : RULES[id];
}

/**
 * Why something was refused, in the words of the console: by the rule where it has a sentence for that, else by the kind of
 * refusal. Undefined where the server's own sentence is in the reader's language, and for what has no kind.
 */
export function refusalWords({ code, id, message }: Refused): string | undefined {
  if (language === 'en') return undefined;
  const rule = ruleWords(id);
  if (rule !== undefined) return rule;
  if (code === 3 && MISSING.test(message)) return t.kinds.required;
  return code === undefined ? undefined : KINDS[code];
}
