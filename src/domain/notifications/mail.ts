import type { Language } from '../shared/locale.js';
import type { CodeTemplate, SmsTemplate } from './notification-template.js';
import type { ResetChoice } from './reset-choice.js';
import type { MessageTexts, MessageType } from './templates/message-texts.js';

/**
 * What is sent by mail: which template, in which language, with which values. How that is said and what it looks like
 * is not the domain's: `src/mails` renders it, in the words of `locales/`.
 */
export type Mail = CodeMail | ChangeMail | AccountExistsMail | ResetChoiceMail;

interface AnyMail {
  readonly organizationName: string;
  /** The organization's accent, `#rrggbb`. */
  readonly accent?: string | undefined;
  /** Of its logo, on our own origin; it says nothing about who looks at it. */
  readonly logoUrl?: string | undefined;
  /** Empty if no name is known. */
  readonly displayName: string;
  /** Empty where the mail must not repeat it: a stranger may have typed it. */
  readonly loginName: string;
  readonly language: Language;
  /** The organization's or the instance's own words in that language; built-in ones stand in for the rest. */
  readonly ownTexts?: MessageTexts | undefined;
}

/**
 * A mail with a code, and mostly a link that does the same.
 *
 * - `initialise`: to a new account without a password: set one, and verify the address by the same act
 * - `verify_email`: to an account that has a password, imported or made by its owner: show that this address reaches you
 * - `reset_password`: to an account whose password somebody says to have forgotten
 * - `register`: to somebody who asks for an account: show that this address is theirs. It is sent to whatever address a
 *   stranger typed, so it repeats nothing else that was typed
 * - `second_factor_email`: to somebody who has shown a password, for the page that asks for more
 */
export interface CodeMail extends AnyMail {
  readonly template: Exclude<CodeTemplate, SmsTemplate>;
  /** Absolute address on our own origin; it may carry the code. */
  readonly link?: string | undefined;
  readonly code: string;
  readonly expiresAt: Date;
}

type PasskeyNotice = 'passkey_added' | 'passkey_removed';
type FactorNotice =
  'factor_added' | 'factor_removed' | 'recovery_codes_made' | 'recovery_code_used' | 'factors_reset';

/**
 * A mail about a change of an account, so that its owner can react if somebody else made it.
 *
 * - `password_changed`: to the owner of an account that has another password since a moment ago, however it came about
 * - `email_changed`: to the verified address of an account for which another one was entered a moment ago
 * - `phone_changed`: to the owner of an account that has another phone number, or none, since a moment ago
 * - `passkey_added`, `passkey_removed`: to the owner of an account that has a passkey more or less since a moment ago
 * - `factor_added`, `factor_removed`: the same of what is asked for besides the password
 * - `recovery_codes_made`, `recovery_code_used`: to the owner of an account that has other recovery codes, or one fewer
 * - `factors_reset`: to the owner of an account whose factors a manager took away
 * - `account_deleted`: to who had the account that they deleted themselves a moment ago
 */
export interface ChangeMail extends AnyMail {
  readonly template:
    'password_changed' | 'email_changed' | 'phone_changed' | 'account_deleted' | PasskeyNotice | FactorNotice;
  readonly happenedAt: Date;
  /** It ended the account's other sessions. */
  readonly otherSessionsEnded?: boolean | undefined;
  /** Page on our own origin where the owner takes the account back; it carries no code. */
  readonly link?: string | undefined;
}

/**
 * To an account whose address somebody entered to register. The page must not reveal the account, so the owner of the
 * mailbox learns of it here, and how to sign in. Neither link carries a code.
 */
export interface AccountExistsMail extends AnyMail {
  readonly template: 'account_exists';
  readonly happenedAt: Date;
  readonly signInLink: string;
  readonly resetLink: string;
}

/**
 * To the owner of an address that stands for several accounts, after somebody gave it on the page for forgotten
 * passwords. Greets nobody by name, for which of the accounts is meant is not known.
 */
export interface ResetChoiceMail extends AnyMail {
  readonly template: 'reset_choice';
  readonly happenedAt: Date;
  /** To the page for forgotten passwords; it carries nothing. */
  readonly link: string;
  readonly accounts: ResetChoice['accounts'];
}

/** Goes out with `Auto-Submitted: auto-generated` (RFC 3834). May hold a live code: never log it. */
export interface MailContent {
  /** One line without control characters. */
  readonly subject: string;
  readonly text: string;
  /** A whole HTML document. */
  readonly html: string;
}

export abstract class MessageRenderer {
  abstract renderMail(mail: Mail): MailContent;

  /** The words that a message has by itself, with its placeholders in them: what one would write to change nothing. */
  abstract builtInTexts(type: MessageType, language: Language): MessageTexts;
}
