import { renderAccountAppPage, renderAccountNewAppPage } from '../../src/pages/account-app-pages.js';
import { renderAccountApplicationsPage } from '../../src/pages/account-applications-page.js';
import { renderAccountCodesPage } from '../../src/pages/account-codes-page.js';
import { renderAccountConfirmPage } from '../../src/pages/account-confirm-page.js';
import { renderAccountDataPage } from '../../src/pages/account-data-page.js';
import { renderAccountDeletedPage, renderAccountDeletePage } from '../../src/pages/account-delete-page.js';
import { renderAccountEmailChangePage } from '../../src/pages/account-email-change-page.js';
import { renderAccountEmailPage } from '../../src/pages/account-email-page.js';
import { renderAccountLanguagePage } from '../../src/pages/account-language-page.js';
import type { AccountSection } from '../../src/pages/account-layout.js';
import { renderAccountOverviewPage } from '../../src/pages/account-overview-page.js';
import {
  renderAccountPasskeyPage,
  renderAccountPasskeysPage,
} from '../../src/pages/account-passkeys-pages.js';
import { renderAccountPasswordPage } from '../../src/pages/account-password-page.js';
import { renderAccountPhoneChangePage } from '../../src/pages/account-phone-change-page.js';
import { renderAccountPhonePage } from '../../src/pages/account-phone-page.js';
import {
  renderAccountProfilePage,
  type Manager,
  type ProfileField,
} from '../../src/pages/account-profile-page.js';
import {
  renderAccountMadeCodesPage,
  renderAccountRecoveryCodesPage,
} from '../../src/pages/account-recovery-codes-pages.js';
import { renderAccountSecurityPage } from '../../src/pages/account-security-page.js';
import { renderAccountSessionsPage } from '../../src/pages/account-sessions-page.js';
import type { Page } from '../../src/pages/layout.js';

const account = { loginName: 'ada.lovelace@acme.example', displayName: 'Ada Lovelace' };
const form = { action: '/account/form', csrf: 'csrf-token', hidden: { session: 'session-id' } };
const rules = {
  minLength: 8,
  upperCase: true,
  lowerCase: true,
  number: true,
  symbol: true,
  unguessable: true,
  unbreached: false,
};
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const OTPAUTH = `otpauth://totp/Acme:ada.lovelace%40acme.example?issuer=Acme&secret=${SECRET}&algorithm=SHA1&digits=6&period=30`;
/** An app that is being added. */
export const aNewApp = { secret: SECRET, otpauth: OTPAUTH };
const codes = {
  kind: 'email',
  target: 'ada.lovelace@acme.example',
  wasRefused: false,
  resend: { form: { ...form, action: '/account/resend' }, availableInSeconds: 45 },
} as const;
const now = new Date('2026-11-24T14:30:00Z');

function ago(minutes: number): Date {
  return new Date(now.getTime() - minutes * 60_000);
}

/** The pages of one's own account, by name. */
export function accountPages(page: Page): Readonly<Record<string, string>> {
  const { account: texts, form: formTexts } = page.texts;
  const sections: readonly AccountSection[] = [
    {
      id: 'profile',
      heading: texts.profile.title,
      state: account.displayName,
      action: { url: '/account/profile', label: texts.change },
    },
    {
      id: 'sessions',
      heading: texts.sessions.title,
      state: texts.sessions.count({ count: 3 }),
      action: { url: '/account/sessions', label: texts.open },
    },
  ];
  const password: AccountSection = {
    id: 'password',
    heading: formTexts.password,
    state: texts.password.isSet,
    action: { url: '/account/security/password', label: texts.change },
  };
  return {
    'account-overview': renderAccountOverviewPage({
      ...page,
      ...account,
      notice: texts.done.profile,
      sections,
      otherAccountUrl: '/login',
      signOutUrl: '/out',
    }),
    'account-profile': renderAccountProfilePage({
      ...page,
      form,
      firstName: 'Ada',
      lastName: 'Lovelace',
      further: {
        birthdate: '1815',
        gender: 'female',
        zoneinfo: 'Europe/London',
        website: 'https://ada.example.com/',
        streetAddress: '12 St James’s Square',
        locality: 'London',
      },
      managed: new Map<ProfileField, Manager>([
        ['lastName', { provider: 'Umbrella Logistics' }],
        ['locality', 'directory'],
      ]),
    }),
    'account-profile-refused': renderAccountProfilePage({
      ...page,
      form,
      firstName: '',
      lastName: 'Lovelace',
      problems: ['first-name-missing'],
      further: { birthdate: '31.12.1815', website: 'ada.example.com', nickName: 'x'.repeat(201) },
      faults: [
        { field: 'nickName', kind: 'text' },
        { field: 'birthdate', kind: 'birthdate' },
        { field: 'website', kind: 'url' },
      ],
    }),
    'account-security': renderAccountSecurityPage({
      ...page,
      sections: [
        password,
        {
          id: 'passkeys',
          heading: texts.passkeys.title,
          state: texts.passkeys.count({ count: 2 }),
          action: { url: '/account/security/passkeys', label: texts.change },
        },
        {
          id: 'app',
          heading: texts.app.title,
          state: texts.app.isNotSet,
          action: { url: '/account/security/app/new', label: texts.app.setUp },
        },
        {
          id: 'recovery-codes',
          heading: texts.recoveryCodes.title,
          state: texts.recoveryCodes.left({ count: 3 }),
          action: { url: '/account/security/recovery-codes', label: texts.change },
        },
      ],
    }),
    'account-password': renderAccountPasswordPage({
      ...page,
      ...account,
      form,
      rules,
      forgottenPasswordUrl: '/password/forgotten',
    }),
    'account-confirm': renderAccountConfirmPage({
      ...page,
      ...account,
      form,
      providers: [{ name: 'Umbrella Logistics', form }],
      mail: undefined,
      problem: 'current-wrong',
      signInUrl: '/login',
      address: '/account/confirm',
    }),
    'account-confirm-elsewhere': renderAccountConfirmPage({
      ...page,
      ...account,
      form: undefined,
      providers: [{ name: 'Umbrella Logistics', form }],
      mail: undefined,
      signInUrl: '/login',
      address: '/account/confirm',
    }),
    'account-confirm-elsewhere-or-by-mail': renderAccountConfirmPage({
      ...page,
      ...account,
      form: undefined,
      providers: [{ name: 'Umbrella Logistics', form }],
      mail: {
        target: 'ada@example.com',
        isSent: false,
        form,
        resend: { form, availableInSeconds: 0 },
        wasRefused: false,
        cannotBeSent: false,
      },
      problem: 'idp-unavailable',
      signInUrl: '/login',
      address: '/account/confirm',
    }),
    'account-confirm-without-mail': renderAccountConfirmPage({
      ...page,
      ...account,
      form: undefined,
      providers: [],
      mail: {
        target: 'ada@example.com',
        isSent: false,
        form,
        resend: { form, availableInSeconds: 0 },
        wasRefused: false,
        cannotBeSent: true,
      },
      signInUrl: '/login',
      address: '/account/confirm',
    }),
    'account-confirm-by-mail': renderAccountConfirmPage({
      ...page,
      ...account,
      form: undefined,
      providers: [],
      mail: {
        target: 'ada@example.com',
        isSent: true,
        form,
        resend: { form, availableInSeconds: 45 },
        wasRefused: false,
        cannotBeSent: false,
      },
      signInUrl: '/login',
      address: '/account/confirm',
    }),
    'account-email': renderAccountEmailPage({
      ...page,
      form,
      present: 'ada@acme.example',
      waiting: 'ada.lovelace@umbrella-logistics.example',
      isSent: true,
      resend: { form, availableInSeconds: 42 },
      keep: form,
      changeUrl: '/account/email/change',
    }),
    'account-email-taken': renderAccountEmailPage({
      ...page,
      form,
      present: 'ada@acme.example',
      waiting: 'ada.lovelace@umbrella-logistics.example',
      isSent: true,
      code: 'K7PX2M',
      problem: 'email-not-available',
      resend: { form, availableInSeconds: 0 },
      keep: form,
      changeUrl: '/account/email/change',
    }),
    'account-email-change': renderAccountEmailChangePage({ ...page, form, present: 'ada@acme.example' }),
    'account-phone': renderAccountPhonePage({
      ...page,
      form,
      number: '+41791234567',
      isSent: true,
      resend: { form, availableInSeconds: 42 },
      changeUrl: '/account/phone/change',
    }),
    'account-phone-refused': renderAccountPhonePage({
      ...page,
      form,
      number: '+41791234567',
      isSent: false,
      refusal: 'tooManySms',
      resend: { form, availableInSeconds: 0 },
      changeUrl: '/account/phone/change',
    }),
    'account-phone-mute': renderAccountPhonePage({
      ...page,
      form,
      number: '+41791234567',
      isSent: false,
      changeUrl: '/account/phone/change',
    }),
    'account-phone-change': renderAccountPhoneChangePage({
      ...page,
      form,
      phone: '079',
      problem: 'phone-not-valid',
      sendsSms: true,
      remove: form,
    }),
    'account-language': renderAccountLanguagePage({ ...page, form, language: page.texts.language }),
    'account-data': renderAccountDataPage({ ...page, form }),
    'account-delete': renderAccountDeletePage({ ...page, ...account, form, userName: 'ada.lovelace' }),
    'account-delete-refused': renderAccountDeletePage({
      ...page,
      ...account,
      form,
      userName: 'ada.lovelace',
      refusal: 'last-organization-owner',
    }),
    'account-deleted': renderAccountDeletedPage(page),
    'account-applications': renderAccountApplicationsPage({
      ...page,
      now,
      applications: [
        {
          name: 'Acme Directory',
          ownerName: 'Acme',
          offline: true,
          access: 'organization',
          lastUsedAt: ago(3),
          revoke: form,
        },
        {
          name: 'Timesheets',
          ownerName: 'Umbrella Logistics',
          offline: false,
          lastUsedAt: ago(9000),
          revoke: form,
        },
      ],
      organizationName: 'Acme',
    }),
    'account-applications-none': renderAccountApplicationsPage({
      ...page,
      now,
      applications: [],
      organizationName: 'Acme',
    }),
    'account-new-app': renderAccountNewAppPage({ ...page, form, ...aNewApp }),
    'account-new-app-refused': renderAccountNewAppPage({
      ...page,
      form,
      ...aNewApp,
      problem: 'code-not-valid',
    }),
    'account-app': renderAccountAppPage({ ...page, anotherUrl: '/account/security/app/new', remove: form }),
    'account-recovery-codes': renderAccountRecoveryCodesPage({
      ...page,
      form,
      left: 3,
      notice: texts.done.app,
    }),
    'account-made-codes': renderAccountMadeCodesPage({
      ...page,
      codes: Array.from({ length: 10 }, (_, index) =>
        `ABCD${index}-EFGH${index}`.replace('0', 'Z').replace('1', 'Y'),
      ),
      loginName: account.loginName,
      host: 'id.acme.example',
      address: '/account/security/recovery-codes',
      nextUrl: '/account/security',
    }),
    'account-codes': renderAccountCodesPage({ ...page, form, ...codes, isSent: false }),
    'account-codes-refused': renderAccountCodesPage({
      ...page,
      form,
      ...codes,
      isSent: false,
      wasRefused: true,
    }),
    'account-codes-sent': renderAccountCodesPage({
      ...page,
      form,
      ...codes,
      kind: 'sms',
      target: '+41791234567',
      isSent: true,
      problem: 'code-not-valid',
    }),
    'account-codes-on': renderAccountCodesPage({ ...page, form, ...codes, isSent: false, remove: form }),
    'account-passkeys': renderAccountPasskeysPage({
      ...page,
      now,
      form,
      address: '/account/security/passkeys',
      challengePath: '/account/security/passkeys/challenge',
      refusal: 'passkey-refused',
      passkeys: [
        {
          name: 'Firefox, Windows',
          lastUsedAt: ago(90),
          maybeCopied: true,
          url: '/account/security/passkeys/1',
        },
        { name: 'Telephone', maybeCopied: false, url: '/account/security/passkeys/2' },
      ],
    }),
    'account-passkey': renderAccountPasskeyPage({ ...page, name: 'Telephone', form, remove: form }),
    'account-sessions': renderAccountSessionsPage({
      ...page,
      now,
      endOthers: form,
      sessions: [
        { device: 'Firefox, Windows', signedInAt: ago(90), lastUsedAt: ago(1) },
        { device: 'Safari, iPhone', signedInAt: ago(90_000), lastUsedAt: ago(300), end: form },
        { signedInAt: ago(900_000), lastUsedAt: ago(1500), end: form },
      ],
    }),
  };
}
