// Problems of forms and pages; each has its texts in `locales/`, under the same name.
import type { LoginNameProblem } from '../domain/users/names/login-name-problem.js';

/** The text of a problem in the summary on top, and the one at its field. */
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
type BusyProblem = 'too-busy';

export type CodeProblem = 'code-missing' | 'code-not-valid';

/** Whoever made the code could not be asked: it was not looked at, and may be good. */
export type UncheckedProblem = 'code-unchecked';

/** At the page for the code of a device. */
export type DeviceProblem = CodeProblem | FormProblem;

export type NewPasswordProblem =
  'password-missing' | 'password-too-weak' | 'password-too-long' | 'repeat-differs';

type ExternalSignInProblem = 'idp-refused' | 'idp-unavailable' | 'idp-no-account';

export type SignInProblem =
  /** Wrong name, wrong password, locked, deactivated: one text for all of them. */
  | 'wrong-credentials'
  /** Once more in the same form, whoever it was for: says what else may be the matter. */
  | 'wrong-again'
  /** Unknown, of a locked or deactivated user, expired, wrong: one text for all of them. */
  | 'passkey-refused'
  | 'login-name-missing'
  | 'password-missing'
  /** Somebody came back from an identity provider, and is nobody here, or not yet. */
  | ExternalSignInProblem
  | BusyProblem
  | FormProblem;

/** Of the first password as of a forgotten one: both are set with a code from a mail. */
export type SetPasswordProblem = CodeProblem | NewPasswordProblem | BusyProblem | FormProblem;

export type VerifyEmailProblem = CodeProblem | UncheckedProblem | FormProblem;

export type SecondFactorProblem = CodeProblem | UncheckedProblem | BusyProblem | FormProblem;

export type ForgottenPasswordProblem = 'login-name-missing' | FormProblem;

export type ChangePasswordProblem =
  | 'current-missing'
  | 'current-wrong'
  /** The new password is the old one. */
  | 'password-unchanged'
  | NewPasswordProblem
  | BusyProblem
  | FormProblem;

/** A password that is asked for once more. */
export type ConfirmProblem = 'current-missing' | 'current-wrong' | BusyProblem | FormProblem;

type NameProblem =
  | 'first-name-missing'
  | 'first-name-too-long'
  | 'first-name-not-valid'
  | 'last-name-missing'
  | 'last-name-too-long'
  | 'last-name-not-valid';

/** Of somebody whom a provider sent without an address, or with a user name that somebody here has. */
export type CompleteExternalProblem =
  | 'email-missing'
  | 'email-not-valid'
  | 'email-not-available'
  | LoginNameProblem
  | Exclude<NameProblem, 'first-name-missing' | 'last-name-missing'>
  | FormProblem;

export type ProfileProblem = NameProblem | 'display-name-too-long' | 'display-name-not-valid';

export type EmailChangeProblem = 'email-missing' | 'email-not-valid' | 'email-unchanged';

export type PhoneProblem = 'phone-missing' | 'phone-not-valid';

/** Why an account is not deleted. */
export type DeletionRefusal = 'last-instance-owner' | 'last-organization-owner' | 'not-allowed';

export type PasskeyNameProblem = 'name-missing' | 'name-too-long';

export type RegisterProblem =
  | 'email-missing'
  | 'email-not-valid'
  /** Says nothing about why: taken, or kept for others. */
  | 'email-not-available'
  | LoginNameProblem
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
