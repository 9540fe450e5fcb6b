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

export type SignInProblem =
  /** Wrong name, wrong password, locked, deactivated: one text for all of them. */
  | 'wrong-credentials'
  | 'login-name-missing'
  | 'password-missing'
  /** A bare name that does not decide; says nothing about who has it. */
  | 'full-login-name-needed'
  | 'too-many-attempts'
  /** The form was not sent from the page we showed in this browser. */
  | 'form-outdated';

export type SetPasswordProblem =
  | 'code-missing'
  | 'code-not-valid'
  | 'password-missing'
  | 'password-too-weak'
  | 'password-too-long'
  | 'repeat-differs'
  | 'form-outdated';

export type VerifyEmailProblem = 'code-missing' | 'code-not-valid' | 'too-many-attempts' | 'form-outdated';

export type ErrorKind =
  /** The application's request is wrong; nothing the reader did. */
  | 'request'
  /** The same for a request to sign out. */
  | 'sign-out-request'
  /** A form came from elsewhere or without its token. */
  | 'form'
  | 'not-found'
  | 'too-many-requests'
  | 'unavailable'
  | 'server';

export interface Texts {
  /** BCP 47 tag for the page's `lang`. */
  readonly lang: string;
  readonly dir: 'ltr' | 'rtl';

  readonly layout: {
    readonly title: (page: string, organization: string) => string;
    readonly titleWithProblem: (page: string, organization: string) => string;
    readonly problem: string;
    readonly language: string;
    readonly help: string;
    readonly privacy: string;
  };
  readonly form: {
    readonly loginName: string;
    readonly loginNameHint: string;
    readonly password: string;
    readonly code: string;
    readonly showPassword: string;
    readonly hidePassword: string;
    readonly show: string;
    readonly hide: string;
    readonly account: string;
  };
  readonly signIn: {
    readonly title: string;
    readonly continueTo: (application: HtmlValue) => Html;
    readonly submit: string;
    readonly busy: string;
    readonly failed: string;
    readonly forgottenPassword: string;
    readonly createAccount: string;
    readonly problems: Readonly<Record<SignInProblem, ProblemTexts>>;
  };
  readonly setPassword: {
    readonly title: string;
    readonly lead: (organization: HtmlValue) => Html;
    readonly newPassword: string;
    readonly repeatPassword: string;
    readonly codeHint: string;
    readonly rules: string;
    readonly minLength: (length: number) => string;
    readonly upperCase: string;
    readonly lowerCase: string;
    readonly number: string;
    readonly symbol: string;
    readonly unmet: string;
    readonly submit: string;
    readonly busy: string;
    readonly failed: string;
    readonly newCode: string;
    readonly problems: Readonly<Record<SetPasswordProblem, ProblemTexts>>;
  };
  readonly passwordSet: {
    readonly title: string;
    readonly body: string;
    readonly bodyWithEmail: (address: HtmlValue) => Html;
  };
  readonly verifyEmail: {
    readonly title: string;
    readonly sentTo: (address: HtmlValue) => Html;
    readonly lead: string;
    readonly submit: string;
    readonly busy: string;
    readonly failed: string;
    readonly newCode: string;
    readonly problems: Readonly<Record<VerifyEmailProblem, ProblemTexts>>;
  };
  readonly emailVerified: {
    readonly title: string;
    readonly body: (address: HtmlValue) => Html;
    readonly bodyWithoutAddress: string;
    readonly closeWindow: string;
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
    readonly forDevelopers: string;
    readonly discovery: string;
    readonly keys: string;
    readonly dashboard: string;
  };
}
