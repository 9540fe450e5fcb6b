/** What a mail says besides names, link and code. Everything is plain text; the layout turns it into markup. */
export interface MailKindTexts {
  readonly subject: (organization: string) => string;
  /** The line that inboxes show after the subject. */
  readonly preview: (organization: string) => string;
  readonly heading: string;
  readonly paragraphs: (organization: string) => readonly string[];
  readonly button: string;
  readonly why: (organization: string) => string;
}

/** The words of all mails in one language. */
export interface MailTexts {
  /** BCP 47 tag for the mail's `lang`. */
  readonly lang: string;
  /** BCP 47 tag that dates are written by. */
  readonly dates: string;
  readonly dir: 'ltr' | 'rtl';
  readonly greeting: (name: string) => string;
  readonly greetingWithoutName: string;
  readonly loginName: string;
  readonly linkInstead: string;
  readonly code: string;
  readonly validUntil: (time: string) => string;
  readonly neverShare: string;
  readonly init: MailKindTexts;
  readonly verifyEmail: MailKindTexts;
}
