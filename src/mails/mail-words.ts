import type { Mail } from '../domain/notifications/mail.js';
import {
  over,
  PLACEHOLDERS,
  type MailType,
  type MessageTexts,
} from '../domain/notifications/templates/message-texts.js';
import { fill, uses, type Values } from '../domain/notifications/templates/placeholders.js';
import { isolated, singleLine, unlinked } from '../domain/shared/display-text.js';
import type { Locale } from '../rendering/locales.js';
import { builtInTexts } from './built-in-texts.js';

/** What one mail says, names and times filled in. All of it is plain text. */
export interface MailWords {
  /** One line, fit for a header. */
  readonly subject: string;
  readonly title: string;
  readonly preheader: string;
  readonly greeting: string;
  readonly paragraphs: readonly string[];
  readonly button: string;
  readonly footer: string;
  /** Empty where the mail must not repeat it. */
  readonly loginName: string;
  /** As the words name it. */
  readonly organization: string;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * The mail's own words over the built-in ones. Names are filled in once, as they are: braces, markup and line breaks
 * in them mean nothing, and what looks like an address in them becomes no link.
 *
 * @param moment when the code ends, or when it happened, in words
 */
export function mailWords(mail: Mail, { language, mails }: Locale, moment: string): MailWords {
  const { template: type } = mail;
  const own = mail.ownTexts ?? {};
  const inertOwn = Object.entries(own).map(([field, text]) => [field, unlinked(text)] as const);
  const source: Writable<MessageTexts> = {
    ...over(builtInTexts(type, language), Object.fromEntries(inertOwn)),
    // no mail program looks for links there
    ...(own.subject !== undefined && { subject: own.subject }),
  };
  // A name of sentences is bait for the reader, not a name; a hundred characters hold the long real ones.
  const names = {
    organizationName: singleLine(mail.organizationName, 100),
    displayName: singleLine(mail.displayName, 100),
    loginName: singleLine(mail.loginName, 250),
  };
  const plain = valuesOf(type, { ...names, expiresAt: moment, happenedAt: moment });
  const inert = valuesOf(type, {
    organizationName: isolated(unlinked(names.organizationName)),
    displayName: isolated(unlinked(names.displayName)),
    loginName: shownLoginName(names.loginName),
    expiresAt: moment,
    happenedAt: moment,
  });
  const say = (text = ''): string => fill(text, inert);
  if (names.displayName === '' && uses(source.greeting ?? '', 'displayName')) {
    source.greeting = mails.greetingWithoutName;
  }
  return {
    subject: singleLine(fill(source.subject ?? '', plain), 120),
    title: say(source.title),
    preheader: say(source.preheader),
    greeting: say(source.greeting),
    paragraphs: (source.text ?? '').split(/\n{2,}/).map(say),
    button: say(source.button),
    footer: say(source.footer),
    loginName: inert.loginName ?? '',
    organization: inert.organizationName ?? '',
  };
}

function valuesOf(type: MailType, all: Required<Omit<Values, 'code'>>): Values {
  return Object.fromEntries(Object.entries(all).filter(([name]) => isPlaceholder(type, name)));
}

function isPlaceholder(type: MailType, name: string): boolean {
  return (PLACEHOLDERS[type] as readonly string[]).includes(name);
}

/** People copy it to sign in, so it stays as it is unless it is made like an address of the web. */
export function shownLoginName(loginName: string): string {
  return /[/\\:]|^www\./i.test(loginName) || !loginName.includes('@') ? unlinked(loginName) : loginName;
}
