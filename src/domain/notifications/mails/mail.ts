import type { MessageTexts } from '../templates/message-texts.js';

/** What every mail is made from. */
export interface Mail {
  readonly organizationName: string;
  /** The organization's accent, `#rrggbb`. */
  readonly accent?: string | undefined;
  /** Of its logo, on our own origin; it says nothing about who looks at it. */
  readonly logoUrl?: string | undefined;
  /** Empty when nobody told us a name. */
  readonly displayName: string;
  /** Empty where the mail must not repeat it: a stranger may have typed it. */
  readonly loginName: string;
  /** The recipient's language, BCP 47 or `de_CH`. */
  readonly locale: string;
  /** The organization's language, for when we do not speak the recipient's. */
  readonly defaultLocale?: string | undefined;
  /** The organization's or the instance's own words in the mail's language; built-in ones stand in for the rest. */
  readonly ownTexts?: MessageTexts | undefined;
}

/** Goes out with `Auto-Submitted: auto-generated` (RFC 3834). May hold a live code: never log it. */
export interface MailContent {
  /** One line without control characters. */
  readonly subject: string;
  readonly text: string;
  /** A whole HTML document. */
  readonly html: string;
}
