import type { ClientLinks } from '../../src/domain/client-registration/metadata/client-links.js';
import type { ChangeMail, CodeMail, MailContent } from '../../src/domain/notifications/mail.js';
import type { Language } from '../../src/domain/shared/locale.js';
import { MailRenderer } from '../../src/mails/mail-renderer.js';
import { renderChangePasswordPage } from '../../src/pages/change-password-page.js';
import { renderChooseAccountPage } from '../../src/pages/choose-account-page.js';
import { renderCompleteExternalPage } from '../../src/pages/complete-external-page.js';
import { renderConsentPage } from '../../src/pages/consent-page.js';
import { iconPath } from '../../src/pages/design/assets.js';
import { renderDeviceDecidedPage, renderDevicePage } from '../../src/pages/device-pages.js';
import {
  renderEmailVerifiedPage,
  renderPasskeyMadePage,
  renderPasswordSetPage,
} from '../../src/pages/done-pages.js';
import {
  renderErrorPage,
  renderExpiredPage,
  renderForbiddenPage,
  renderLinkOverPage,
  renderRegisterElsewherePage,
} from '../../src/pages/error-pages.js';
import {
  renderForgottenPasswordPage,
  renderResetSentPage,
} from '../../src/pages/forgotten-password-pages.js';
import { renderFormPostPage } from '../../src/pages/form-post-page.js';
import { renderHomePage } from '../../src/pages/home-page.js';
import type { Page } from '../../src/pages/layout.js';
import { renderPasskeyLinkPage } from '../../src/pages/passkey-link-page.js';
import type { ErrorKind } from '../../src/pages/problems.js';
import { renderRegisterPage } from '../../src/pages/register-page.js';
import { renderSecondFactorPage } from '../../src/pages/second-factor-page.js';
import { renderResetPasswordPage, renderSetPasswordPage } from '../../src/pages/set-password-page.js';
import { renderSetUpFactorPage } from '../../src/pages/set-up-factor-page.js';
import { renderSignInPage } from '../../src/pages/sign-in-page.js';
import {
  renderSignedOutPage,
  renderSigningOutPage,
  renderSignOutAgainPage,
  renderSignOutPage,
} from '../../src/pages/sign-out-pages.js';
import { renderVerificationNeededPage, renderVerifyEmailPage } from '../../src/pages/verify-email-page.js';
import { renderPhoneVerifiedPage, renderVerifyPhonePage } from '../../src/pages/verify-phone-page.js';
import { accountPages, aNewApp } from './account-gallery.js';

// Every page and every mail once or more, with all its parts on, in whichever language: for tests that hold all of
// them to the same rules, and for eyes.

const loginName = 'ada.lovelace@acme.example';
const account = { loginName, displayName: 'Ada Lovelace' };
const applicationName = 'Example App';
const SOON = new Date('2026-12-09T10:00:00Z');
const form = { action: '/form', csrf: 'csrf-token', flow: 'flow-id' };
const newCodes = {
  kind: 'email',
  target: 'ada@acme.example',
  isSent: false,
  wasRefused: false,
} as const;
const resend = { form: { ...form, action: '/resend' }, availableInSeconds: 45 };
const rules = {
  minLength: 8,
  upperCase: true,
  lowerCase: true,
  number: true,
  symbol: true,
  unguessable: true,
  unbreached: false,
};
const typed = { email: 'ada@post', loginName: 'ada lovelace' };
const homeUrls = {
  administration: { discoveryUrl: '/d', keysUrl: '/k', apiReferenceUrl: '/a', dashboardUrl: '/q' },
  signInUrl: '/login',
  signOutUrl: '/out',
};

const ERROR_KINDS: readonly ErrorKind[] = [
  'request',
  'sign-out-request',
  'form',
  'registration-off',
  'not-found',
  'too-many-requests',
  'unavailable',
  'server',
];

/** For which an application waits. */
function inFlow(page: Page): Page {
  return { ...page, cancelForm: { ...form, action: '/login/cancel' } };
}

/** Pages that are looked at in every look, by name. */
export function newPages(page: Page): Readonly<Record<string, string>> {
  return {
    ...accountPages(page),
    'verify-phone': renderVerifyPhonePage({ ...page, form, sentTo: '+41791234567', code: 'A1B2C3' }),
    'verify-phone-wrong': renderVerifyPhonePage({
      ...page,
      form,
      sentTo: '+41791234567',
      code: 'A1B2C4',
      problem: 'code-not-valid',
    }),
    'phone-verified': renderPhoneVerifiedPage({ ...page, number: '+41791234567' }),
    'passkey-link': renderPasskeyLinkPage({ ...page, form, account, signInUrl: '/login' }),
    'passkey-link-refused': renderPasskeyLinkPage({
      ...page,
      form,
      account,
      refusal: 'passkey-refused',
      signInUrl: '/login',
    }),
    'passkey-link-over': renderLinkOverPage({
      ...page,
      cameBy: 'hand',
      signInUrl: '/login',
      referenceId: 'req-1',
    }),
    'passkey-made': renderPasskeyMadePage({ ...page, wayOn: { url: '/login' } }),
    'sign-in': renderSignInPage({
      ...inFlow(page),
      form,
      applicationName,
      forgottenPasswordUrl: '/password/forgotten',
      createAccountUrl: '/register',
    }),
    'sign-in-unknown': renderSignInPage({
      ...inFlow(page),
      form,
      applicationName: 'Order agent',
      clientLinks: strangersLinks,
      forgottenPasswordUrl: '/password/forgotten',
    }),
    'sign-in-anew': renderSignInPage({
      ...inFlow(page),
      form,
      applicationName,
      loginName,
      notAnew: ['GitHub', 'Google'],
      codeByMailUrl: '/account/confirm',
      forgottenPasswordUrl: '/password/forgotten',
      createAccountUrl: '/register',
    }),
    'choose-account': renderChooseAccountPage({
      ...inFlow(page),
      form,
      applicationName,
      canRemove: true,
      accounts: [
        { ...account, id: 'a', isSignedIn: true },
        { id: 'b', loginName: 'grace.hopper@a-rather-long-name-of-a-company.example', isSignedIn: true },
        { id: 'c', loginName: 'yamada@acme.example', displayName: '山田太郎', isSignedIn: false },
      ],
    }),
    consent: renderConsentPage({
      ...page,
      ...account,
      form,
      applicationName: 'Acme Directory',
      owner: { name: 'Umbrella Logistics and Warehousing', domain: 'umbrella-logistics.example' },
      access: 'organization',
      ownAccount: true,
      returnsTo: 'directory.umbrella-logistics.example',
      otherAccountUrl: '/login',
    }),
    'consent-everywhere': renderConsentPage({
      ...page,
      ...account,
      form,
      applicationName: 'Console',
      owner: { name: 'Acme', domain: 'acme.example' },
      access: 'instance',
      ownAccount: true,
      returnsTo: 'console.acme.example',
      otherAccountUrl: '/login',
    }),
    'consent-unknown': renderConsentPage({
      ...page,
      ...account,
      form,
      applicationName: 'Order agent',
      owner: { name: 'Acme', domain: 'acme.example' },
      access: 'none',
      ownAccount: false,
      returnsTo: 'localhost:53682',
      asks: { scopes: ['openid', 'profile', 'email', 'offline_access'], resources: ['Order desk'] },
      newcomer: {
        source: 'agent.example.com',
        // any picture that the server of the test has
        logoUrl: iconPath,
      },
      clientLinks: strangersLinks,
      otherAccountUrl: '/login',
    }),
    register: renderRegisterPage({
      ...inFlow(page),
      form,
      rules,
      applicationName,
      asksLoginName: false,
      signInUrl: '/login',
    }),
    'register-refused': renderRegisterPage({
      ...inFlow(page),
      ...typed,
      form,
      rules,
      asksLoginName: true,
      domain: 'acme.example',
      problems: ['email-not-valid', 'login-name-not-valid', 'password-too-weak'],
      unmet: ['minLength', 'symbol'],
    }),
    'complete-external': renderCompleteExternalPage({
      ...inFlow(page),
      form,
      providerName: 'Umbrella Logistics and Warehousing',
      asks: 'email',
      names: ['firstName', 'lastName'],
      signInUrl: '/login',
    }),
    'complete-external-refused': renderCompleteExternalPage({
      ...inFlow(page),
      form,
      providerName: 'Acme Directory',
      asks: 'email',
      names: ['lastName'],
      email: typed.email,
      lastName: 'Lovelace',
      problems: ['email-not-valid', 'last-name-not-valid'],
      signInUrl: '/login',
    }),
    'complete-external-name': renderCompleteExternalPage({
      ...inFlow(page),
      form,
      providerName: 'Umbrella Logistics and Warehousing',
      asks: 'loginName',
      names: [],
      takenName: 'ada.lovelace',
      mayBeTheirs: true,
      signInUrl: '/login',
    }),
    'forgotten-password': renderForgottenPasswordPage({ ...page, form, signInUrl: '/login' }),
    'forgotten-password-empty': renderForgottenPasswordPage({
      ...page,
      form,
      problem: 'login-name-missing',
      signInUrl: '/login',
    }),
    'reset-sent': renderResetSentPage({
      ...page,
      loginName,
      resend,
      enterCodeUrl: '/password/reset',
      otherNameUrl: '/password/forgotten',
    }),
    'reset-password': renderResetPasswordPage({ ...page, form, rules, resend: { ...resend, wasSent: true } }),
    'reset-password-by-link': renderResetPasswordPage({ ...page, form, rules, account, code: 'K7PX2M' }),
    'reset-password-wrong-code': renderResetPasswordPage({
      ...page,
      form,
      rules,
      resend,
      code: 'K7PX2',
      problems: ['code-not-valid'],
    }),
    'change-password-expired': renderChangePasswordPage({
      ...inFlow(page),
      ...account,
      form,
      rules,
      reason: 'expired',
      forgottenPasswordUrl: '/password/forgotten',
    }),
    'change-password-refused': renderChangePasswordPage({
      ...inFlow(page),
      ...account,
      form,
      rules,
      reason: 'required',
      problems: ['current-wrong', 'password-unchanged'],
    }),
    'second-factor': renderSecondFactorPage({
      ...inFlow(page),
      form: { ...form, hidden: { kind: 'totp' } },
      account,
      kind: 'totp',
      others: [{ kind: 'recovery-code', url: '/other' }],
      otherAccountUrl: '/login',
      problem: 'code-not-valid',
      trustUntil: SOON,
    }),
    'second-factor-passkey': renderSecondFactorPage({
      ...inFlow(page),
      form: { ...form, hidden: { kind: 'passkey' } },
      account,
      kind: 'passkey',
      others: [{ kind: 'totp', url: '/other' }],
      otherAccountUrl: '/login',
      declineForm: form,
    }),
    'second-factor-passkey-refused': renderSecondFactorPage({
      ...inFlow(page),
      form: { ...form, hidden: { kind: 'passkey' } },
      account,
      kind: 'passkey',
      others: [],
      otherAccountUrl: '/login',
      problem: 'code-not-valid',
    }),
    'second-factor-email': renderSecondFactorPage({
      ...inFlow(page),
      form: { ...form, hidden: { kind: 'email' } },
      account,
      kind: 'email',
      sent: { target: 'ada.lovelace@acme.example', isSent: true, resend: { ...resend, wasSent: true } },
      others: [
        { kind: 'totp', url: '/other' },
        { kind: 'sms', url: '/other' },
        { kind: 'recovery-code', url: '/other' },
      ],
      otherAccountUrl: '/login',
      trustUntil: SOON,
    }),
    'second-factor-sms': renderSecondFactorPage({
      ...inFlow(page),
      form: { ...form, hidden: { kind: 'sms' } },
      account,
      kind: 'sms',
      sent: { target: '+41791234567', isSent: true, resend },
      others: [],
      otherAccountUrl: '/login',
      problem: 'code-not-valid',
      declineForm: form,
    }),
    'second-factor-not-sent': renderSecondFactorPage({
      ...inFlow(page),
      form: { ...form, hidden: { kind: 'sms' } },
      account,
      kind: 'sms',
      sent: { target: '+41791234567', isSent: false, resend: { form, availableInSeconds: 0 } },
      others: [{ kind: 'email', url: '/other' }],
      otherAccountUrl: '/login',
    }),
    'second-factor-recovery-code': renderSecondFactorPage({
      ...inFlow(page),
      form: { ...form, hidden: { kind: 'recovery-code' } },
      account,
      kind: 'recovery-code',
      others: [{ kind: 'totp', url: '/other' }],
      otherAccountUrl: '/login',
      problem: 'code-not-valid',
    }),
    'second-factor-reset-by-email': renderSecondFactorPage({
      ...inFlow(page),
      form,
      account,
      kind: undefined,
      others: [],
      otherAccountUrl: '/login',
    }),
    'set-up-factor': renderSetUpFactorPage({
      ...inFlow(page),
      form: { ...form, hidden: { kind: 'totp' } },
      account,
      part: { kind: 'totp', app: aNewApp },
      until: SOON,
      others: [{ kind: 'passkey', url: '/other' }],
      otherAccountUrl: '/login',
    }),
    'set-up-factor-passkey': renderSetUpFactorPage({
      ...inFlow(page),
      form: { ...form, hidden: { kind: 'passkey' } },
      account,
      part: { kind: 'passkey' },
      until: SOON,
      others: [{ kind: 'totp', url: '/other' }],
      otherAccountUrl: '/login',
    }),
    'set-up-factor-passkey-refused': renderSetUpFactorPage({
      ...inFlow(page),
      form: { ...form, hidden: { kind: 'passkey' } },
      account,
      part: { kind: 'passkey' },
      until: undefined,
      others: [],
      otherAccountUrl: '/login',
      problem: 'code-not-valid',
    }),
    'set-up-factor-refused': renderSetUpFactorPage({
      ...inFlow(page),
      form,
      account,
      part: { kind: 'totp', app: aNewApp },
      until: undefined,
      others: [],
      otherAccountUrl: '/login',
      problem: 'code-not-valid',
    }),
    'set-up-factor-codes': renderSetUpFactorPage({
      ...inFlow(page),
      form: { ...form, hidden: { kind: 'email' } },
      account,
      part: { ...newCodes, wasRefused: true, resend: { form, availableInSeconds: 42 } },
      until: SOON,
      others: [],
      otherAccountUrl: '/login',
    }),
    'set-up-factor-codes-sent': renderSetUpFactorPage({
      ...inFlow(page),
      form: { ...form, hidden: { kind: 'sms' } },
      account,
      part: { ...newCodes, kind: 'sms', target: '+41791234567', isSent: true, resend },
      until: SOON,
      others: [{ kind: 'email', url: '/other' }],
      otherAccountUrl: '/login',
      problem: 'code-not-valid',
    }),
    'set-up-factor-nothing': renderSetUpFactorPage({
      ...inFlow(page),
      form,
      account,
      part: { kind: 'nothing', why: ['resetByEmail', 'noPhone'] },
      until: undefined,
      others: [],
      otherAccountUrl: '/login',
    }),
    'verification-needed': renderVerificationNeededPage({
      ...page,
      form,
      account,
      resend,
      sentTo: 'ada@acme.example',
      canSkip: true,
      otherAccountUrl: '/login',
    }),
    'verification-needed-wrong-code': renderVerificationNeededPage({
      ...page,
      form,
      account,
      resend: { ...resend, availableInSeconds: 0 },
      code: 'K7PX2',
      problem: 'code-not-valid',
    }),
    'form-post': renderFormPostPage({
      ...page,
      redirectUri: 'https://app.example/callback',
      parameters: { code: 'c', state: 's', iss: 'https://id.example' },
      applicationName,
    }),
    'sign-out-again': renderSignOutAgainPage({
      ...page,
      action: '/oidc/v1/end_session',
      hidden: { again: 'id_token_hint=h' },
    }),
    'signing-out': renderSigningOutPage({ ...page, target: 'https://app.example/bye' }),
    'password-reset-done': renderPasswordSetPage({
      ...page,
      otherSessionsEnded: true,
      wayOn: { url: '/login', applicationName },
    }),
    device: renderDevicePage({ ...page, form, code: 'BCDF-GHJK' }),
    'device-wrong': renderDevicePage({ ...page, form, code: 'BCDF-GHJ', problem: 'code-not-valid' }),
    'device-consent': renderConsentPage({
      ...page,
      ...account,
      form,
      applicationName,
      owner: { name: 'Acme', domain: 'acme.example' },
      access: 'none',
      ownAccount: true,
      device: { code: 'BCDF-GHJK', askedFrom: '203.0.113.7' },
      asks: {
        scopes: [
          'openid',
          'profile',
          'email',
          'phone',
          'address',
          'offline_access',
          'urn:zitadel:iam:user:metadata',
        ],
        resources: ['Order desk'],
      },
      otherAccountUrl: '/login',
    }),
    'device-done': renderDeviceDecidedPage(page, 'done'),
    'device-refused': renderDeviceDecidedPage(page, 'refused'),
    'register-elsewhere': renderRegisterElsewherePage(page),
    'registration-off': renderErrorPage({ ...page, kind: 'registration-off', referenceId: 'req-1' }),
  };
}

/** All pages, by name. */
export function allPages(page: Page): Readonly<Record<string, string>> {
  return {
    ...newPages(page),
    'sign-in-registration-off': renderSignInPage({
      ...inFlow(page),
      form,
      applicationName,
      registrationOff: true,
    }),
    'sign-in-wrong': renderSignInPage({ ...inFlow(page), form, loginName, problem: 'wrong-credentials' }),
    'sign-in-wrong-again': renderSignInPage({ ...inFlow(page), form, loginName, problem: 'wrong-again' }),
    'set-password': renderSetPasswordPage({
      ...page,
      ...account,
      form,
      rules,
      newCodeUrl: '/new',
      problems: ['code-missing', 'password-too-weak'],
      unmet: ['number'],
    }),
    'password-set': renderPasswordSetPage({
      ...page,
      verifiedEmail: 'ada@acme.example',
      wayOn: { url: '/login' },
    }),
    'verify-email': renderVerifyEmailPage({
      ...page,
      form,
      loginName: 'ada@acme.example',
      sentTo: 'ada@acme.example',
      newCodeUrl: '/new',
    }),
    'email-verified': renderEmailVerifiedPage({ ...page, email: 'ada@acme.example' }),
    'sign-out': renderSignOutPage({ ...page, form, stayUrl: '/' }),
    'signed-out': renderSignedOutPage({ ...page, signInUrl: '/login' }),
    forbidden: renderForbiddenPage({
      ...page,
      loginName,
      otherAccountUrl: '/login',
      signOut: form,
      referenceId: 'req-1',
    }),
    expired: renderExpiredPage({ ...page, beginAgainUrl: '/login', referenceId: 'req-1' }),
    home: renderHomePage({ ...page, ...homeUrls, signedInAs: [loginName] }),
    ...Object.fromEntries(
      ERROR_KINDS.map((kind) => [
        `error-${kind}`,
        renderErrorPage({
          ...page,
          kind,
          parameter: 'redirect_uri',
          error: 'invalid_request',
          fault: 'not-registered',
          referenceId: 'req-1',
          retryAfterSeconds: kind === 'too-many-requests' ? 300 : undefined,
        }),
      ]),
    ),
  };
}

/** Of an application that nobody here knows. */
const strangersLinks: ClientLinks = {
  isKnown: false,
  pages: [
    { kind: 'website', url: 'https://agent.example.com/' },
    { kind: 'privacy', url: 'https://agent.example.com/privacy' },
    { kind: 'terms', url: 'https://a-rather-long-name-of-a-lawyer.example.com/agents/terms.html' },
  ],
};

export const GALLERY_LOGO = 'https://id.example/logos/acme.png';

/** All mails, by name. */
export function allMails(language: Language): Readonly<Record<string, MailContent>> {
  const renderer = new MailRenderer();
  const mail = { ...account, organizationName: 'Acme', language };
  const withCode: Omit<CodeMail, 'template'> = {
    ...mail,
    link: 'https://id.example/password/init?id=331&code=K7PX2M',
    code: 'K7PX2M',
    expiresAt: new Date('2026-11-24T14:30:00Z'),
  };
  const happened: Omit<ChangeMail, 'template'> = { ...mail, happenedAt: new Date('2026-11-24T14:30:00Z') };
  return {
    init: renderer.renderMail({ ...withCode, template: 'initialise' }),
    'verify-email': renderer.renderMail({ ...withCode, template: 'verify_email' }),
    'password-reset': renderer.renderMail({ ...withCode, template: 'reset_password' }),
    'password-changed': renderer.renderMail({
      ...happened,
      template: 'password_changed',
      otherSessionsEnded: true,
      link: 'https://id.example/password/forgotten',
    }),
    register: renderer.renderMail({ ...withCode, template: 'register', displayName: '', loginName: '' }),
    'email-changed': renderer.renderMail({
      ...happened,
      template: 'email_changed',
      link: 'https://id.example/password/forgotten',
    }),
    'passkey-added': renderer.renderMail({
      ...happened,
      template: 'passkey_added',
      link: 'https://id.example/account/security',
    }),
    'passkey-removed': renderer.renderMail({
      ...happened,
      template: 'passkey_removed',
      link: 'https://id.example/account/security',
    }),
    'factor-added': renderer.renderMail({
      ...happened,
      template: 'factor_added',
      link: 'https://id.example/account/security',
    }),
    'factors-reset': renderer.renderMail({
      ...happened,
      template: 'factors_reset',
      link: 'https://id.example/account/security',
    }),
    'account-deleted': renderer.renderMail({ ...happened, loginName: '', template: 'account_deleted' }),
    'account-exists': renderer.renderMail({
      ...happened,
      template: 'account_exists',
      signInLink: 'https://id.example/login',
      resetLink: 'https://id.example/password/forgotten',
    }),
    'password-changed-by-others': renderer.renderMail({ ...happened, template: 'password_changed' }),
    'own-words': renderer.renderMail({
      ...withCode,
      template: 'initialise',
      accent: '#0f7b6c',
      logoUrl: GALLERY_LOGO,
      ownTexts: {
        title: 'Acme: {{organizationName}}',
        greeting: '{{displayName}} <b>',
        text: 'First line\nsecond line, until {{expiresAt}}\n\nA new paragraph for {{loginName}}.',
        footer: 'Acme Ltd\n1 Main Street, Springfield',
      },
    }),
    'logo-held-back': renderer.renderMail({
      ...withCode,
      template: 'verify_email',
      logoUrl: 'https://id.example/logos/none.png',
    }),
  };
}
