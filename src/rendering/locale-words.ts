// Made from locales/en.json by `npm run locales`; edit that.
import type { Message } from './message.js';

export interface Words {
  readonly languageName: string;
  readonly direction: string;
  readonly dates: string;
  readonly familyNameFirst: boolean;
  readonly labelled: Message<'label'>;
  readonly pages: {
    readonly layout: {
      readonly title: Message<'organization' | 'page'>;
      readonly titleWithProblem: Message<'organization' | 'page'>;
      readonly problem: string;
      readonly language: string;
      readonly help: string;
      readonly privacy: string;
    };
    readonly form: {
      readonly loginName: string;
      readonly password: string;
      readonly code: string;
      readonly firstName: string;
      readonly lastName: string;
      readonly email: string;
      readonly showPassword: string;
      readonly hidePassword: string;
      readonly show: string;
      readonly hide: string;
      readonly account: string;
      readonly problems: {
        readonly 'too-many-attempts': { readonly summary: string; readonly atField: string };
        readonly 'too-busy': { readonly summary: string; readonly atField: string };
        readonly 'code-unchecked': { readonly summary: string; readonly atField: string };
        readonly 'form-outdated': { readonly summary: string; readonly atField: string };
      };
      readonly optional: Message<'label'>;
    };
    readonly signIn: {
      readonly title: string;
      readonly continueTo: Message<'application'>;
      readonly submit: string;
      readonly busy: string;
      readonly forgottenPassword: string;
      readonly createAccount: string;
      readonly continueWith: Message<'provider'>;
      readonly connect: Message<'provider'>;
      readonly codeByMail: string;
      readonly notAnew: Message<'providers'>;
      readonly problems: {
        readonly 'wrong-credentials': string;
        readonly 'wrong-again': string;
        readonly 'passkey-refused': string;
        readonly 'login-name-missing': string;
        readonly 'password-missing': string;
        readonly 'idp-refused': string;
        readonly 'idp-unavailable': string;
        readonly 'idp-no-account': string;
      };
    };
    readonly passkeys: {
      readonly signIn: string;
      readonly notUsed: string;
      readonly notUsedAlone: string;
      readonly notMade: string;
      readonly failed: string;
      readonly known: string;
    };
    readonly chooseAccount: {
      readonly title: string;
      readonly signedIn: string;
      readonly signedOut: string;
      readonly remove: Message<'name'>;
      readonly otherAccount: string;
    };
    readonly consent: {
      readonly title: string;
      readonly lead: Message<'application'>;
      readonly owner: string;
      readonly where: string;
      readonly everywhere: string;
      readonly back: string;
      readonly gets: string;
      readonly instance: string;
      readonly organization: Message<'organization'>;
      readonly account: string;
      readonly trust: Message<'owner'>;
      readonly allow: string;
      readonly busy: string;
      readonly deny: string;
      readonly newcomer: {
        readonly title: string;
        readonly lead: Message<'application'>;
        readonly unknown: string;
        readonly described: string;
        readonly logo: Message<'application'>;
        readonly source: string;
        readonly gets: string;
        readonly openid: string;
        readonly profile: string;
        readonly email: string;
        readonly phone: string;
        readonly address: string;
        readonly offline: string;
        readonly resource: Message<'resource'>;
        readonly trust: string;
      };
    };
    readonly clientLinks: {
      readonly of: Message<'application'>;
      readonly unchecked: Message<'application'>;
      readonly website: string;
      readonly privacy: string;
      readonly terms: string;
    };
    readonly device: {
      readonly title: string;
      readonly lead: string;
      readonly code: string;
      readonly hint: string;
      readonly failed: string;
      readonly submit: string;
      readonly busy: string;
      readonly problems: {
        readonly 'code-missing': { readonly summary: string; readonly atField: string };
        readonly 'code-not-valid': { readonly summary: string; readonly atField: string };
      };
      readonly allowTitle: string;
      readonly allowLead: Message<'application'>;
      readonly warning: string;
      readonly askedFrom: string;
      readonly gets: string;
      readonly signsIn: Message<'application'>;
      readonly metadata: string;
      readonly offline: Message<'page'>;
      readonly done: { readonly title: string; readonly body: string };
      readonly refused: { readonly title: string; readonly body: string };
    };
    readonly register: {
      readonly title: string;
      readonly loginName: string;
      readonly loginNameHint: Message<'domain'>;
      readonly withoutAddress: Message<'provider'>;
      readonly withTakenName: Message<'name' | 'provider'>;
      readonly takenNameMayBeYours: Message<'provider'>;
      readonly emailHint: string;
      readonly submit: string;
      readonly busy: string;
      readonly failed: string;
      readonly haveAccount: string;
      readonly problems: {
        readonly 'email-missing': { readonly summary: string; readonly atField: string };
        readonly 'email-not-valid': { readonly summary: string; readonly atField: string };
        readonly 'email-not-available': { readonly summary: string; readonly atField: string };
        readonly 'login-name-missing': { readonly summary: string; readonly atField: string };
        readonly 'login-name-not-valid': { readonly summary: string; readonly atField: string };
        readonly 'login-name-not-available': { readonly summary: string; readonly atField: string };
      };
    };
    readonly code: {
      readonly hint: string;
      readonly newCode: string;
      readonly sendAgain: string;
      readonly sendAgainBusy: string;
      readonly sendAgainIn: Message<'time'>;
      readonly sentAgain: string;
      readonly notArrived: string;
      readonly problems: {
        readonly 'code-missing': { readonly summary: string; readonly atField: string };
        readonly 'code-not-valid': { readonly summary: string; readonly atField: string };
      };
    };
    readonly newPassword: {
      readonly label: string;
      readonly repeat: string;
      readonly rules: string;
      readonly minLength: Message<'length'>;
      readonly upperCase: string;
      readonly lowerCase: string;
      readonly number: string;
      readonly symbol: string;
      readonly unguessable: string;
      readonly unbreached: string;
      readonly unmet: Message<'rule'>;
      readonly problems: {
        readonly 'password-missing': { readonly summary: string; readonly atField: string };
        readonly 'password-too-weak': { readonly summary: string; readonly atField: string };
        readonly 'password-too-long': { readonly summary: string; readonly atField: string };
        readonly 'repeat-differs': { readonly summary: string; readonly atField: string };
      };
    };
    readonly setPassword: {
      readonly title: string;
      readonly lead: Message<'organization'>;
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
      readonly problems: {
        readonly 'login-name-missing': { readonly summary: string; readonly atField: string };
      };
    };
    readonly resetSent: {
      readonly title: string;
      readonly body: Message<'account'>;
      readonly bodyWithoutName: string;
      readonly enterCode: string;
      readonly otherName: string;
    };
    readonly resetPassword: { readonly title: string; readonly lead: string };
    readonly changePassword: {
      readonly title: string;
      readonly reasons: { readonly expired: string; readonly required: string; readonly wanted: string };
      readonly currentPassword: string;
      readonly submit: string;
      readonly busy: string;
      readonly failed: string;
      readonly problems: {
        readonly 'current-missing': { readonly summary: string; readonly atField: string };
        readonly 'current-wrong': { readonly summary: string; readonly atField: string };
        readonly 'password-unchanged': { readonly summary: string; readonly atField: string };
      };
    };
    readonly passkeyLink: {
      readonly title: string;
      readonly own: string;
      readonly create: string;
      readonly absent: string;
      readonly done: string;
      readonly useIt: string;
      readonly over: string;
    };
    readonly passwordSet: {
      readonly title: string;
      readonly body: string;
      readonly bodyWithEmail: Message<'address'>;
      readonly signedOutElsewhere: string;
    };
    readonly verifyEmail: {
      readonly title: string;
      readonly sentTo: Message<'address'>;
      readonly lead: string;
      readonly submit: string;
      readonly busy: string;
      readonly failed: string;
      readonly why: string;
      readonly whose: string;
      readonly later: string;
    };
    readonly secondFactor: {
      readonly title: string;
      readonly failed: string;
      readonly lost: string;
      readonly resetByEmail: string;
      readonly notSent: string;
      readonly notSentAlone: string;
      readonly setUp: {
        readonly title: string;
        readonly now: string;
        readonly until: Message<'day'>;
        readonly notNow: string;
        readonly scan: string;
        readonly picture: string;
        readonly orType: string;
        readonly type: string;
        readonly submit: string;
        readonly failed: string;
        readonly passkeyFailed: string;
        readonly absent: string;
        readonly absentAlone: string;
        readonly noPhone: string;
        readonly noSms: string;
        readonly instead: {
          readonly passkey: string;
          readonly totp: string;
          readonly email: string;
          readonly sms: string;
        };
      };
      readonly decline: string;
      readonly trust: { readonly label: Message<'day'>; readonly hint: string };
      readonly kinds: {
        readonly passkey: {
          readonly lead: string;
          readonly label: string;
          readonly instead: string;
          readonly absent: string;
          readonly absentAlone: string;
          readonly refusedAlone: string;
          readonly problems: {
            readonly 'code-missing': { readonly summary: string; readonly atField: string };
            readonly 'code-not-valid': { readonly summary: string; readonly atField: string };
          };
        };
        readonly totp: {
          readonly lead: string;
          readonly label: string;
          readonly hint: string;
          readonly instead: string;
          readonly problems: {
            readonly 'code-missing': { readonly summary: string; readonly atField: string };
            readonly 'code-not-valid': { readonly summary: string; readonly atField: string };
          };
        };
        readonly email: { readonly label: string; readonly instead: string };
        readonly sms: { readonly label: string; readonly instead: string };
        readonly 'recovery-code': {
          readonly lead: string;
          readonly label: string;
          readonly hint: string;
          readonly instead: string;
          readonly problems: {
            readonly 'code-missing': { readonly summary: string; readonly atField: string };
            readonly 'code-not-valid': { readonly summary: string; readonly atField: string };
          };
        };
      };
    };
    readonly emailVerified: {
      readonly title: string;
      readonly body: Message<'address'>;
      readonly bodyWithoutAddress: string;
      readonly closeWindow: string;
    };
    readonly verifyPhone: {
      readonly title: string;
      readonly sentTo: Message<'number'>;
      readonly failed: string;
      readonly problems: {
        readonly 'code-missing': { readonly summary: string; readonly atField: string };
        readonly 'code-not-valid': { readonly summary: string; readonly atField: string };
      };
      readonly linkOver: string;
    };
    readonly phoneVerified: { readonly title: string; readonly body: Message<'number'> };
    readonly formPost: {
      readonly title: string;
      readonly body: Message<'application'>;
      readonly bodyWithoutName: string;
      readonly submit: string;
    };
    readonly waysOn: {
      readonly signIn: string;
      readonly continueTo: Message<'application'>;
      readonly beginAgain: string;
      readonly signOut: string;
      readonly otherAccount: string;
      readonly cancel: string;
    };
    readonly errors: {
      readonly kinds: {
        readonly request: { readonly title: string; readonly next: string };
        readonly 'sign-out-request': { readonly title: string; readonly next: string };
        readonly form: { readonly title: string; readonly next: string };
        readonly 'registration-off': { readonly title: string; readonly next: string };
        readonly 'not-found': { readonly title: string; readonly next: string };
        readonly 'too-many-requests': { readonly title: string; readonly next: string };
        readonly unavailable: { readonly title: string; readonly next: string };
        readonly server: { readonly title: string; readonly next: string };
      };
      readonly requestNamed: Message<'parameter'>;
      readonly request: string;
      readonly form: string;
      readonly registrationOff: string;
      readonly notFound: string;
      readonly tooManyRequests: string;
      readonly unavailable: string;
      readonly server: string;
      readonly waitSeconds: Message<'seconds'>;
      readonly waitMinutes: Message<'minutes'>;
      readonly parameter: string;
      readonly reason: string;
      readonly reasons: {
        readonly missing: Message<'parameter'>;
        readonly repeated: Message<'parameter'>;
        readonly unknown: Message<'parameter'>;
        readonly inactive: Message<'parameter'>;
        readonly 'not-registered': Message<'parameter'>;
        readonly 'needs-dev-mode': Message<'parameter'>;
        readonly 'of-another-application': Message<'parameter'>;
        readonly 'of-another-issuer': Message<'parameter'>;
        readonly invalid: Message<'parameter'>;
      };
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
    readonly registerElsewhere: {
      readonly title: string;
      readonly body: string;
      readonly over: string;
      readonly notYou: string;
    };
    readonly signedOut: { readonly title: string; readonly body: string; readonly shared: string };
    readonly signingOut: { readonly title: string; readonly body: string };
    readonly signOut: {
      readonly title: string;
      readonly body: Message<'organization'>;
      readonly submit: string;
      readonly busy: string;
      readonly stay: string;
    };
    readonly forbidden: { readonly title: string; readonly body: string; readonly next: string };
    readonly home: {
      readonly title: string;
      readonly body: Message<'service'>;
      readonly forPeople: string;
      readonly signedInAs: Message<'loginName'>;
      readonly forAdministrators: string;
      readonly apiReference: string;
      readonly mailsWait: string;
      readonly discovery: string;
      readonly keys: string;
      readonly dashboard: string;
    };
    readonly account: {
      readonly title: string;
      readonly change: string;
      readonly open: string;
      readonly save: string;
      readonly saving: string;
      readonly failed: string;
      readonly done: {
        readonly profile: string;
        readonly password: string;
        readonly session: string;
        readonly sessions: string;
        readonly application: string;
        readonly email: string;
        readonly emailKept: string;
        readonly phone: string;
        readonly phoneRemoved: string;
        readonly codeSent: string;
        readonly language: string;
        readonly app: string;
        readonly appRemoved: string;
        readonly emailCodes: string;
        readonly emailCodesOff: string;
        readonly smsCodes: string;
        readonly smsCodesOff: string;
        readonly lastFactor: string;
        readonly factorNotUsed: string;
        readonly factorNotVerified: string;
        readonly factorJustReset: string;
        readonly passkey: string;
        readonly passkeyNamed: string;
        readonly passkeyRemoved: string;
        readonly identityAdded: string;
        readonly identityRemoved: string;
        readonly identityNotAdded: string;
        readonly lastWayIn: string;
      };
      readonly profile: {
        readonly title: string;
        readonly displayName: string;
        readonly displayNameHint: string;
        readonly groups: {
          readonly names: string;
          readonly about: string;
          readonly web: string;
          readonly address: string;
        };
        readonly fields: {
          readonly middleName: string;
          readonly nickName: string;
          readonly birthdate: string;
          readonly gender: string;
          readonly zoneinfo: string;
          readonly website: string;
          readonly profile: string;
          readonly picture: string;
          readonly streetAddress: string;
          readonly postalCode: string;
          readonly locality: string;
          readonly region: string;
          readonly country: string;
          readonly formatted: string;
        };
        readonly birthdateHint: string;
        readonly notSaid: string;
        readonly genders: { readonly female: string; readonly male: string; readonly diverse: string };
        readonly managed: Message<'provider'>;
        readonly managedByDirectory: string;
        readonly faults: {
          readonly text: { readonly summary: Message<'field'>; readonly atField: string };
          readonly url: { readonly summary: Message<'field'>; readonly atField: string };
          readonly birthdate: { readonly summary: string; readonly atField: string };
          readonly zone: { readonly summary: string; readonly atField: string };
        };
        readonly problems: {
          readonly 'first-name-missing': { readonly summary: string; readonly atField: string };
          readonly 'first-name-too-long': { readonly summary: string; readonly atField: string };
          readonly 'first-name-not-valid': { readonly summary: string; readonly atField: string };
          readonly 'last-name-missing': { readonly summary: string; readonly atField: string };
          readonly 'last-name-too-long': { readonly summary: string; readonly atField: string };
          readonly 'last-name-not-valid': { readonly summary: string; readonly atField: string };
          readonly 'display-name-too-long': { readonly summary: string; readonly atField: string };
          readonly 'display-name-not-valid': { readonly summary: string; readonly atField: string };
        };
      };
      readonly security: { readonly title: string; readonly lead: string };
      readonly password: { readonly isSet: string; readonly isNotSet: string; readonly endsSessions: string };
      readonly confirm: {
        readonly title: string;
        readonly lead: string;
        readonly submit: string;
        readonly busy: string;
        readonly failed: string;
        readonly byMail: Message<'address'>;
        readonly noMail: string;
        readonly signInAgain: string;
      };
      readonly sessions: {
        readonly title: string;
        readonly lead: string;
        readonly count: Message<'count'>;
        readonly here: string;
        readonly unknownDevice: string;
        readonly signedIn: Message<'day'>;
        readonly lastUsed: Message<'when'>;
        readonly end: string;
        readonly ending: string;
        readonly endOthers: Message<'count'>;
      };
      readonly applications: {
        readonly title: string;
        readonly lead: string;
        readonly none: string;
        readonly count: Message<'count'>;
        readonly owner: Message<'organization'>;
        readonly offline: string;
        readonly organization: Message<'organization'>;
        readonly instance: string;
        readonly lastUsed: Message<'when'>;
        readonly revoke: string;
        readonly revoking: string;
        readonly after: string;
      };
      readonly add: string;
      readonly verify: string;
      readonly remove: string;
      readonly removing: string;
      readonly email: {
        readonly present: Message<'address'>;
        readonly waits: Message<'address'>;
        readonly changeTitle: string;
        readonly new: string;
        readonly hint: string;
        readonly keep: string;
        readonly other: string;
        readonly problems: {
          readonly 'email-missing': { readonly summary: string; readonly atField: string };
          readonly 'email-not-valid': { readonly summary: string; readonly atField: string };
          readonly 'email-unchanged': { readonly summary: string; readonly atField: string };
          readonly 'email-not-available': { readonly summary: string; readonly atField: string };
        };
      };
      readonly sendCode: string;
      readonly phone: {
        readonly title: string;
        readonly none: string;
        readonly notVerified: Message<'number'>;
        readonly changeTitle: string;
        readonly hint: string;
        readonly noProvider: string;
        readonly other: string;
        readonly removeNumber: string;
        readonly problems: {
          readonly 'phone-missing': { readonly summary: string; readonly atField: string };
          readonly 'phone-not-valid': { readonly summary: string; readonly atField: string };
        };
        readonly refused: string;
        readonly tooManySms: string;
        readonly notArrived: string;
      };
      readonly language: {
        readonly title: string;
        readonly lead: string;
        readonly label: string;
        readonly asBrowser: string;
      };
      readonly data: {
        readonly title: string;
        readonly state: string;
        readonly contents: string;
        readonly submit: string;
        readonly busy: string;
      };
      readonly delete: {
        readonly title: string;
        readonly state: string;
        readonly what: string;
        readonly confirm: string;
        readonly hint: Message<'name'>;
        readonly submit: string;
        readonly busy: string;
        readonly failed: string;
        readonly doneTitle: string;
        readonly doneBody: string;
        readonly problems: {
          readonly 'name-differs': { readonly summary: string; readonly atField: string };
        };
        readonly refusals: {
          readonly 'last-instance-owner': string;
          readonly 'last-organization-owner': string;
          readonly 'not-allowed': string;
        };
      };
      readonly app: {
        readonly title: string;
        readonly isSet: string;
        readonly isNotSet: string;
        readonly setUp: string;
        readonly newTitle: string;
        readonly lead: string;
        readonly submit: string;
        readonly failed: string;
        readonly another: string;
        readonly anotherHint: string;
        readonly removeLead: string;
        readonly remove: string;
        readonly removing: string;
      };
      readonly codes: {
        readonly title: { readonly email: string; readonly sms: string };
        readonly isSet: Message<'target'>;
        readonly isNotSet: string;
        readonly setUp: string;
        readonly lead: Message<'target'>;
        readonly submit: string;
        readonly failed: string;
        readonly remove: string;
        readonly removing: string;
        readonly removeLead: string;
      };
      readonly recoveryCodes: {
        readonly title: string;
        readonly left: Message<'count'>;
        readonly lead: string;
        readonly make: string;
        readonly making: string;
        readonly replaces: string;
        readonly shownTitle: string;
        readonly keep: string;
        readonly kept: string;
        readonly copy: string;
        readonly copied: string;
        readonly download: string;
      };
      readonly passkeys: {
        readonly title: string;
        readonly count: Message<'count'>;
        readonly none: string;
        readonly lead: string;
        readonly add: string;
        readonly lastUsed: Message<'when'>;
        readonly neverUsed: string;
        readonly maybeCopied: string;
        readonly failed: string;
        readonly refusals: { readonly 'passkey-refused': string; readonly 'too-many-passkeys': string };
        readonly name: string;
        readonly nameHint: string;
        readonly removeLead: string;
        readonly remove: string;
        readonly removing: string;
        readonly problems: {
          readonly 'name-missing': { readonly summary: string; readonly atField: string };
          readonly 'name-too-long': { readonly summary: string; readonly atField: string };
        };
      };
      readonly identities: {
        readonly title: string;
        readonly lead: string;
        readonly none: string;
        readonly count: Message<'count'>;
        readonly connect: Message<'provider'>;
        readonly disconnect: string;
        readonly connecting: string;
        readonly disconnecting: string;
        readonly since: Message<'day'>;
      };
    };
  };
  readonly mails: {
    readonly moment: Message<'day' | 'time'>;
    readonly greeting: Message<'displayName'>;
    readonly greetingWithoutName: string;
    readonly loginName: string;
    readonly linkInstead: string;
    readonly code: string;
    readonly codeAlone: string;
    readonly validUntil: Message<'expiresAt'>;
    readonly codeValidUntil: Message<'expiresAt'>;
    readonly neverShare: string;
    readonly initialise: {
      readonly subject: Message<'organizationName'>;
      readonly preheader: Message<'organizationName'>;
      readonly title: string;
      readonly text: readonly Message<'organizationName'>[];
      readonly button: string;
      readonly footer: Message<'organizationName'>;
    };
    readonly verify_email: {
      readonly subject: Message<'organizationName'>;
      readonly preheader: Message<'organizationName'>;
      readonly title: string;
      readonly text: readonly Message<'organizationName'>[];
      readonly button: string;
      readonly footer: Message<'organizationName'>;
    };
    readonly reset_password: {
      readonly subject: Message<'organizationName'>;
      readonly preheader: Message<'organizationName'>;
      readonly title: string;
      readonly text: readonly Message<'organizationName'>[];
      readonly button: string;
      readonly footer: Message<'organizationName'>;
    };
    readonly password_changed: {
      readonly subject: Message<'organizationName'>;
      readonly preheader: string;
      readonly title: string;
      readonly text: readonly Message<'happenedAt' | 'organizationName'>[];
      readonly button: string;
      readonly footer: Message<'organizationName'>;
    };
    readonly change: {
      readonly signedOutElsewhere: string;
      readonly notYou: string;
      readonly notYouPasskey: string;
      readonly notYouFactor: string;
      readonly notYouWithoutLink: Message<'organizationName'>;
    };
    readonly email_changed: {
      readonly subject: Message<'organizationName'>;
      readonly preheader: string;
      readonly title: string;
      readonly text: readonly Message<'happenedAt' | 'organizationName'>[];
      readonly button: string;
      readonly footer: Message<'organizationName'>;
    };
    readonly phone_changed: {
      readonly subject: Message<'organizationName'>;
      readonly preheader: string;
      readonly title: string;
      readonly text: readonly Message<'happenedAt' | 'organizationName'>[];
      readonly button: string;
      readonly footer: Message<'organizationName'>;
    };
    readonly passkey_added: {
      readonly subject: Message<'organizationName'>;
      readonly preheader: string;
      readonly title: string;
      readonly text: readonly Message<'happenedAt' | 'organizationName'>[];
      readonly button: string;
      readonly footer: Message<'organizationName'>;
    };
    readonly passkey_removed: {
      readonly subject: Message<'organizationName'>;
      readonly preheader: string;
      readonly title: string;
      readonly text: readonly Message<'happenedAt' | 'organizationName'>[];
      readonly button: string;
      readonly footer: Message<'organizationName'>;
    };
    readonly factor_added: {
      readonly subject: Message<'organizationName'>;
      readonly preheader: string;
      readonly title: string;
      readonly text: readonly Message<'happenedAt' | 'organizationName'>[];
      readonly button: string;
      readonly footer: Message<'organizationName'>;
    };
    readonly factor_removed: {
      readonly subject: Message<'organizationName'>;
      readonly preheader: string;
      readonly title: string;
      readonly text: readonly Message<'happenedAt' | 'organizationName'>[];
      readonly button: string;
      readonly footer: Message<'organizationName'>;
    };
    readonly recovery_codes_made: {
      readonly subject: Message<'organizationName'>;
      readonly preheader: string;
      readonly title: string;
      readonly text: readonly Message<'happenedAt' | 'organizationName'>[];
      readonly button: string;
      readonly footer: Message<'organizationName'>;
    };
    readonly recovery_code_used: {
      readonly subject: Message<'organizationName'>;
      readonly preheader: string;
      readonly title: string;
      readonly text: readonly Message<'happenedAt' | 'organizationName'>[];
      readonly button: string;
      readonly footer: Message<'organizationName'>;
    };
    readonly factors_reset: {
      readonly subject: Message<'organizationName'>;
      readonly preheader: string;
      readonly title: string;
      readonly text: readonly Message<'happenedAt' | 'organizationName'>[];
      readonly button: string;
      readonly footer: Message<'organizationName'>;
    };
    readonly register: {
      readonly subject: Message<'organizationName'>;
      readonly preheader: Message<'organizationName'>;
      readonly title: string;
      readonly text: readonly Message<'organizationName'>[];
      readonly button: string;
      readonly footer: Message<'organizationName'>;
    };
    readonly account_exists: {
      readonly subject: Message<'organizationName'>;
      readonly preheader: string;
      readonly title: string;
      readonly text: readonly Message<'happenedAt' | 'organizationName'>[];
      readonly button: string;
      readonly forgotten: string;
      readonly footer: Message<'organizationName'>;
    };
    readonly reset_choice: {
      readonly subject: string;
      readonly preheader: string;
      readonly title: string;
      readonly text: readonly Message<'happenedAt'>[];
      readonly needsNewPassword: string;
      readonly needsFirstPassword: string;
      readonly button: string;
      readonly footer: Message<'organizationName'>;
    };
    readonly account_deleted: {
      readonly subject: Message<'organizationName'>;
      readonly preheader: string;
      readonly title: string;
      readonly text: readonly Message<'happenedAt' | 'organizationName'>[];
      readonly button: string;
      readonly footer: Message<'organizationName'>;
    };
    readonly second_factor_email: {
      readonly subject: Message<'organizationName'>;
      readonly preheader: string;
      readonly title: string;
      readonly text: readonly Message<'organizationName'>[];
      readonly button: string;
      readonly footer: Message<'organizationName'>;
    };
  };
  readonly sms: {
    readonly verify_phone: Message<'code' | 'organizationName'>;
    readonly second_factor_sms: Message<'code' | 'organizationName'>;
  };
}
