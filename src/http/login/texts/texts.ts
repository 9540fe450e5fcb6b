import type { Html, HtmlValue } from '../../../domain/shared/html.js';

/**
 * Every word on the pages, one object per language. Short sentences, the reader's words, no blame; the same
 * words whether an account exists or not. A text that takes a name gives markup, because languages put the name
 * in different places and pages set it apart.
 */

/** A problem as the summary on top tells it, and what stands at the field it belongs to. */
export interface ProblemTexts {
  readonly summary: string;
  readonly atField: string;
}

/** What any form may run into. */
export type FormProblem =
  | 'too-many-attempts'
  /** The form was not sent from the page we showed in this browser. */
  | 'form-outdated';

/** More passwords wait to be checked than are in good time; this one was not looked at. */
export type BusyProblem = 'too-busy';

export type CodeProblem = 'code-missing' | 'code-not-valid';

export type NewPasswordProblem =
  'password-missing' | 'password-too-weak' | 'password-too-long' | 'repeat-differs';

export type SignInProblem =
  /** Wrong name, wrong password, locked, deactivated: one text for all of them. */
  | 'wrong-credentials'
  | 'login-name-missing'
  | 'password-missing'
  /** A bare name that does not decide; says nothing about who has it. */
  | 'full-login-name-needed'
  | BusyProblem
  | FormProblem;

/** Of the first password as of a forgotten one: both are set with a code from a mail. */
export type SetPasswordProblem = CodeProblem | NewPasswordProblem | BusyProblem | FormProblem;

export type VerifyEmailProblem = CodeProblem | FormProblem;

export type ForgottenPasswordProblem = 'login-name-missing' | FormProblem;

export type ChangePasswordProblem =
  | 'current-missing'
  | 'current-wrong'
  /** The new password is the old one. */
  | 'password-unchanged'
  | NewPasswordProblem
  | BusyProblem
  | FormProblem;

export type RegisterProblem =
  | 'first-name-missing'
  | 'first-name-too-long'
  | 'first-name-not-valid'
  | 'last-name-missing'
  | 'last-name-too-long'
  | 'last-name-not-valid'
  | 'email-missing'
  | 'email-not-valid'
  /** Says nothing about why: taken, or kept for others. */
  | 'email-not-available'
  | 'login-name-missing'
  | 'login-name-not-valid'
  | 'login-name-not-available'
  | NewPasswordProblem
  | BusyProblem
  | FormProblem;

export type ChangePasswordReason =
  /** Older than the organization's policy lets passwords be. */
  | 'expired'
  /** Somebody else set it, or an administrator asked for a new one. */
  | 'required'
  /** The reader's own wish. */
  | 'wanted';

export type ErrorKind =
  /** The application's request is wrong; nothing the reader did. */
  | 'request'
  /** The same for a request to sign out. */
  | 'sign-out-request'
  /** A form came from elsewhere or without its token. */
  | 'form'
  /** Nobody may make an account of their own at this organization. */
  | 'registration-off'
  | 'not-found'
  | 'too-many-requests'
  | 'unavailable'
  | 'server';

export interface Texts {
  /** BCP 47 tag for the page's `lang`. */
  readonly lang: string;
  /** The language's name in itself: "Deutsch". */
  readonly languageName: string;
  readonly dir: 'ltr' | 'rtl';

  readonly layout: {
    readonly title: (page: string, organization: string) => string;
    readonly titleWithProblem: (page: string, organization: string) => string;
    readonly problem: string;
    /** A label in front of what it labels, with this language's colon. */
    readonly labelled: (label: string) => string;
    readonly language: string;
    readonly help: string;
    readonly privacy: string;
  };
  readonly form: {
    readonly loginName: string;
    readonly loginNameHint: string;
    readonly password: string;
    readonly code: string;
    /** In which order people write their names. */
    readonly familyNameFirst: boolean;
    readonly firstName: string;
    readonly lastName: string;
    readonly email: string;
    readonly showPassword: string;
    readonly hidePassword: string;
    readonly show: string;
    readonly hide: string;
    readonly account: string;
    readonly problems: Readonly<Record<FormProblem | BusyProblem, ProblemTexts>>;
  };
  readonly signIn: {
    readonly title: string;
    readonly continueTo: (application: HtmlValue) => Html;
    readonly submit: string;
    readonly busy: string;
    readonly failed: string;
    readonly forgottenPassword: string;
    readonly createAccount: string;
    readonly problems: Readonly<Record<Exclude<SignInProblem, FormProblem | BusyProblem>, ProblemTexts>>;
  };
  readonly chooseAccount: {
    readonly title: string;
    readonly signedIn: string;
    /** This account's session is over; the password is asked for. */
    readonly signedOut: string;
    /** Name of the button that takes an account off the list; not shown, but spoken. */
    readonly remove: (name: string) => string;
    readonly otherAccount: string;
  };
  /** Whether an application may act for the reader on the service's own APIs. */
  readonly consent: {
    readonly title: string;
    readonly lead: (application: HtmlValue) => Html;
    /** In front of the organization that owns the application. */
    readonly owner: string;
    /** In front of where it may act: `everywhere`, or the name of one organization. */
    readonly where: string;
    readonly everywhere: string;
    /** In front of the host that the answer goes to. */
    readonly back: string;
    /** Above a list; each entry of it goes on with the sentence. */
    readonly gets: string;
    readonly instance: string;
    readonly organization: (organization: HtmlValue) => Html;
    readonly account: string;
    readonly trust: (owner: HtmlValue) => Html;
    readonly allow: string;
    readonly busy: string;
    readonly deny: string;
  };
  readonly register: {
    readonly title: string;
    /** Under the field for the login name, which goes on with `@` and this domain. */
    readonly loginNameHint: (domain: HtmlValue) => Html;
    readonly emailHint: string;
    readonly submit: string;
    readonly busy: string;
    readonly failed: string;
    readonly haveAccount: string;
    readonly problems: Readonly<
      Record<Exclude<RegisterProblem, NewPasswordProblem | FormProblem | BusyProblem>, ProblemTexts>
    >;
  };
  readonly code: {
    readonly hint: string;
    readonly newCode: string;
    readonly sendAgain: string;
    readonly sendAgainBusy: string;
    /** `time` as minutes and seconds, 0:45; scripts count it down. */
    readonly sendAgainIn: (time: HtmlValue) => Html;
    readonly sentAgain: string;
    readonly notArrived: string;
    readonly problems: Readonly<Record<CodeProblem, ProblemTexts>>;
  };
  readonly newPassword: {
    readonly label: string;
    readonly repeat: string;
    readonly rules: string;
    readonly minLength: (length: number) => string;
    readonly upperCase: string;
    readonly lowerCase: string;
    readonly number: string;
    readonly symbol: string;
    /** A rule that the refused password missed. */
    readonly unmet: (rule: string) => string;
    readonly problems: Readonly<Record<NewPasswordProblem, ProblemTexts>>;
  };
  readonly setPassword: {
    readonly title: string;
    readonly lead: (organization: HtmlValue) => Html;
    readonly submit: string;
    readonly busy: string;
    readonly failed: string;
  };
  readonly forgottenPassword: {
    readonly title: string;
    readonly lead: string;
    readonly submit: string;
    readonly busy: string;
    readonly failed: string;
    readonly backToSignIn: string;
    readonly problems: Readonly<Record<Exclude<ForgottenPasswordProblem, FormProblem>, ProblemTexts>>;
  };
  readonly resetSent: {
    readonly title: string;
    /** The same whether there is such an account or not. */
    readonly body: (account: HtmlValue) => Html;
    readonly bodyWithoutName: string;
    readonly enterCode: string;
    readonly otherName: string;
  };
  readonly resetPassword: {
    readonly title: string;
    readonly lead: string;
  };
  readonly changePassword: {
    readonly title: string;
    readonly reasons: Readonly<Record<ChangePasswordReason, string>>;
    readonly currentPassword: string;
    readonly submit: string;
    readonly busy: string;
    readonly failed: string;
    readonly problems: Readonly<
      Record<Exclude<ChangePasswordProblem, NewPasswordProblem | FormProblem | BusyProblem>, ProblemTexts>
    >;
  };
  readonly passwordSet: {
    readonly title: string;
    readonly body: string;
    readonly bodyWithEmail: (address: HtmlValue) => Html;
    readonly signedOutElsewhere: string;
  };
  readonly verifyEmail: {
    readonly title: string;
    readonly sentTo: (address: HtmlValue) => Html;
    readonly lead: string;
    readonly submit: string;
    readonly busy: string;
    readonly failed: string;
    /** Where it is asked for in the middle of a sign-in. */
    readonly why: string;
    readonly later: string;
  };
  readonly emailVerified: {
    readonly title: string;
    readonly body: (address: HtmlValue) => Html;
    readonly bodyWithoutAddress: string;
    readonly closeWindow: string;
  };
  readonly verifyPhone: {
    readonly title: string;
    readonly sentTo: (number: HtmlValue) => Html;
    readonly failed: string;
    readonly problems: Readonly<Record<CodeProblem, ProblemTexts>>;
    /** In place of what is said behind a mail's link. */
    readonly linkOver: string;
  };
  readonly phoneVerified: {
    readonly title: string;
    readonly body: (number: HtmlValue) => Html;
  };
  readonly signedIn: { readonly title: string; readonly body: string };
  readonly formPost: {
    readonly title: string;
    readonly body: (application: HtmlValue) => Html;
    readonly bodyWithoutName: string;
    readonly submit: string;
  };
  readonly waysOn: {
    readonly signIn: string;
    readonly continueTo: (application: HtmlValue) => Html;
    readonly beginAgain: string;
    readonly signOut: string;
    readonly otherAccount: string;
  };
  readonly errors: {
    readonly kinds: Readonly<Record<ErrorKind, { readonly title: string; readonly next: string }>>;
    readonly requestNamed: (parameter: HtmlValue) => Html;
    readonly request: string;
    readonly form: string;
    readonly registrationOff: string;
    readonly notFound: string;
    readonly tooManyRequests: string;
    readonly unavailable: string;
    readonly server: string;
    readonly waitSeconds: (seconds: number) => string;
    readonly waitMinutes: (minutes: number) => string;
    readonly parameter: string;
    readonly reason: string;
    readonly code: string;
    readonly reference: string;
  };
  readonly expired: {
    readonly title: string;
    readonly body: string;
    readonly next: string;
    readonly nextWithoutLink: string;
  };
  readonly linkOver: { readonly title: string; readonly body: string; readonly next: string };
  /** The link of a registration, opened where it did not begin. */
  readonly registerElsewhere: {
    readonly title: string;
    readonly body: string;
    /** For who did begin here, but too long ago. */
    readonly over: string;
    readonly notYou: string;
  };
  readonly signedOut: { readonly title: string; readonly body: string; readonly shared: string };
  readonly signOut: {
    readonly title: string;
    readonly body: (organization: HtmlValue) => Html;
    readonly submit: string;
    readonly busy: string;
    readonly stay: string;
  };
  readonly forbidden: { readonly title: string; readonly body: string; readonly next: string };
  readonly home: {
    readonly title: string;
    readonly body: (service: HtmlValue) => Html;
    readonly forPeople: string;
    readonly signedInAs: (loginName: HtmlValue) => Html;
    readonly forAdministrators: string;
    readonly apiReference: string;
    /** For administrators, while there is nothing to send mails by. */
    readonly mailsWait: string;
    readonly discovery: string;
    readonly keys: string;
    readonly dashboard: string;
  };
}
