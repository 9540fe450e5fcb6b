/** What any mail says besides names and times. Everything is plain text; the layout turns it into markup. */
interface MailKindTexts {
  readonly subject: (organization: string) => string;
  /** The line that inboxes show after the subject. */
  readonly preview: (organization: string) => string;
  readonly heading: string;
  readonly button: string;
  readonly why: (organization: string) => string;
}

/** A mail that brings a link and a code. */
export interface CodeMailTexts extends MailKindTexts {
  readonly paragraphs: (organization: string) => readonly string[];
}

/** A mail that tells what happened to the account. */
export interface NoticeMailTexts extends MailKindTexts {
  readonly paragraphs: (organization: string, time: string) => readonly string[];
  /** For when it ended the account's other sessions. */
  readonly signedOutElsewhere: string;
  /** In front of the button. */
  readonly notYou: string;
  /** In its place when there is no button to offer. */
  readonly notYouWithoutLink: (organization: string) => string;
}

/** A mail that tells where to go instead: the button signs in, a second link is for who forgot the password. */
export interface AccountExistsMailTexts extends MailKindTexts {
  readonly paragraphs: (organization: string, time: string) => readonly string[];
  /** In front of the second link. */
  readonly forgotten: string;
}

/** A mail that lists the accounts of an address: under each, what is to be done for a password. */
export interface ResetChoiceMailTexts extends MailKindTexts {
  readonly paragraphs: (time: string) => readonly string[];
  readonly needsNewPassword: string;
  /** The account has had none yet. */
  readonly needsFirstPassword: string;
}

/** The words of all mails in one language. */
export interface MailTexts {
  /** BCP 47 tag for the mail's `lang`. */
  readonly lang: string;
  /** BCP 47 tag that dates are written by. */
  readonly dates: string;
  readonly dir: 'ltr' | 'rtl';
  /** `day` as "4 November 2026", `time` as "14:30 UTC". */
  readonly moment: (day: string, time: string) => string;
  /** A label in front of what it labels, with this language's colon. */
  readonly labelled: (label: string) => string;
  readonly greeting: (name: string) => string;
  readonly greetingWithoutName: string;
  readonly loginName: string;
  readonly linkInstead: string;
  readonly code: string;
  readonly validUntil: (moment: string) => string;
  readonly neverShare: string;
  /** In letters that a short message holds 160 of (GSM 03.38), where the language can do with them. */
  readonly sms: (organization: string, code: string) => string;
  readonly init: CodeMailTexts;
  readonly verifyEmail: CodeMailTexts;
  readonly passwordReset: CodeMailTexts;
  readonly passwordChanged: NoticeMailTexts;
  readonly emailChanged: NoticeMailTexts;
  readonly register: CodeMailTexts;
  readonly accountExists: AccountExistsMailTexts;
  readonly resetChoice: ResetChoiceMailTexts;
}
