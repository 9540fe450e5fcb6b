import { html } from '../../../domain/shared/html.js';
import type { Texts } from './texts.js';

const formOutdated = {
  summary: 'This page was open for too long, so nothing was sent. Please try once more.',
  atField: 'Enter this again',
};
const tooManyAttempts = {
  summary: 'There were too many tries. Wait a few minutes, then try again.',
  atField: 'Try again in a few minutes',
};

export const en: Texts = {
  lang: 'en',
  dir: 'ltr',
  layout: {
    title: (page, organization) => `${page} – ${organization}`,
    titleWithProblem: (page, organization) => `Error: ${page} – ${organization}`,
    problem: 'Error:',
    language: 'Language',
    help: 'Help',
    privacy: 'Privacy',
  },
  form: {
    loginName: 'Login name',
    loginNameHint: 'Your user name or e-mail address',
    password: 'Password',
    code: 'Code',
    showPassword: 'Show password',
    hidePassword: 'Hide password',
    show: 'Show',
    hide: 'Hide',
    account: 'Account',
  },
  signIn: {
    title: 'Sign in',
    continueTo: (application) => html`to continue to ${application}`,
    submit: 'Sign in',
    busy: 'Signing in…',
    failed: 'You are not signed in yet',
    forgottenPassword: 'Forgotten password?',
    createAccount: 'Create account',
    problems: {
      'wrong-credentials': {
        summary: 'The login name or the password is wrong. Check both, or use your full login name.',
        atField: 'Enter your password again',
      },
      'login-name-missing': { summary: 'Enter your login name.', atField: 'Enter your login name' },
      'password-missing': { summary: 'Enter your password.', atField: 'Enter your password' },
      'full-login-name-needed': {
        summary: 'Use your full login name. It looks like name@example.com.',
        atField: 'Enter your full login name',
      },
      'too-many-attempts': tooManyAttempts,
      'form-outdated': formOutdated,
    },
  },
  setPassword: {
    title: 'Set your password',
    lead: (organization) => html`for your account at ${organization}`,
    newPassword: 'New password',
    repeatPassword: 'Repeat new password',
    codeHint: 'From the e-mail we sent you',
    rules: 'Your password needs:',
    minLength: (length) => `at least ${length} characters`,
    upperCase: 'an upper-case letter (A–Z)',
    lowerCase: 'a lower-case letter (a–z)',
    number: 'a number (0–9)',
    symbol: 'a symbol, such as ! or #',
    unmet: 'missing',
    submit: 'Set password',
    busy: 'Setting password…',
    failed: 'Your password is not set yet',
    newCode: 'Send a new code',
    problems: {
      'code-missing': { summary: 'Enter the code from the e-mail.', atField: 'Enter the code' },
      'code-not-valid': {
        summary: 'This code is wrong or no longer valid. Use the code of the newest e-mail.',
        atField: 'Enter the code of the newest e-mail',
      },
      'password-missing': { summary: 'Choose a new password.', atField: 'Enter a new password' },
      'password-too-weak': {
        summary: 'Choose a password that has everything on the list.',
        atField: 'Choose another password',
      },
      'password-too-long': {
        summary: 'This password is too long. Choose a shorter one.',
        atField: 'Choose a shorter password',
      },
      'repeat-differs': {
        summary: 'The two passwords differ. Enter the same password twice.',
        atField: 'Enter the same password here',
      },
      'form-outdated': formOutdated,
    },
  },
  passwordSet: {
    title: 'Your password is set',
    body: 'From now on you sign in with it.',
    bodyWithEmail: (address) =>
      html`From now on you sign in with it. Your e-mail address ${address} is verified, too.`,
  },
  verifyEmail: {
    title: 'Verify your e-mail address',
    sentTo: (address) => html`Enter the code we sent to ${address}`,
    lead: 'Enter the code we sent you',
    submit: 'Verify',
    busy: 'Verifying…',
    failed: 'Your e-mail address is not verified yet',
    newCode: 'Send a new code',
    problems: {
      'code-missing': { summary: 'Enter the code from the e-mail.', atField: 'Enter the code' },
      'code-not-valid': {
        summary: 'This code is wrong or no longer valid. Use the code of the newest e-mail.',
        atField: 'Enter the code of the newest e-mail',
      },
      'too-many-attempts': tooManyAttempts,
      'form-outdated': formOutdated,
    },
  },
  emailVerified: {
    title: 'Your e-mail address is verified',
    body: (address) => html`Thank you. We know now that ${address} reaches you.`,
    bodyWithoutAddress: 'Thank you. We know now that our e-mails reach you.',
    closeWindow: 'There is nothing more to do. You can close this page.',
  },
  waysOn: {
    signIn: 'Sign in',
    continueTo: (application) => html`Continue to ${application}`,
    beginAgain: 'Begin again',
    signOut: 'Sign out',
    otherAccount: 'Use another account',
  },
  errors: {
    kinds: {
      request: {
        title: 'This sign-in cannot go on',
        next: 'Go back to the application and try again. If this page comes back, send the details below to the people who run it.',
      },
      'sign-out-request': {
        title: 'This sign-out cannot go on',
        next: 'You may still be signed in. Go back to the application and try again, or send the details below to the people who run it.',
      },
      form: {
        title: 'We did not accept this form',
        next: 'Go back to where you came from and begin again. Cookies must be allowed for this site.',
      },
      'not-found': {
        title: 'There is no such page',
        next: 'Check the address. If a link brought you here, it may be out of date.',
      },
      'too-many-requests': {
        title: 'Too many tries',
        next: 'Wait a few minutes, then try again.',
      },
      unavailable: {
        title: 'We are not available right now',
        next: 'Try again in a minute. Nothing you entered was saved.',
      },
      server: {
        title: 'Something went wrong on our side',
        next: 'Try again in a minute. If it happens again, give support the reference below.',
      },
    },
    requestNamed: (parameter) =>
      html`The application sent us a request with a mistake in ${parameter}. You did nothing wrong.`,
    request: 'The application sent us a request with a mistake in it. You did nothing wrong.',
    form: 'It was not sent from the page we showed you, or that page was open for too long.',
    notFound: 'Nothing is kept at this address.',
    tooManyRequests: 'There were more requests from your network than we allow.',
    unavailable: 'A part of this service is being restarted.',
    server: 'Nothing you did caused it.',
    waitSeconds: (seconds) =>
      seconds === 1 ? 'Wait one second, then try again.' : `Wait ${seconds} seconds, then try again.`,
    waitMinutes: (minutes) =>
      minutes === 1 ? 'Wait one minute, then try again.' : `Wait ${minutes} minutes, then try again.`,
    parameter: 'Parameter',
    reason: 'Reason',
    code: 'Error code',
    reference: 'Reference',
  },
  expired: {
    title: 'This sign-in has expired',
    body: 'It was open for too long, or it is already finished. Nothing was changed.',
    next: 'You can begin again right away.',
    nextWithoutLink: 'Go back to the application you came from and begin again.',
  },
  signedOut: {
    title: 'You are signed out',
    body: 'This browser is no longer signed in here.',
    shared: 'On a shared computer, close all browser windows as well.',
  },
  signOut: {
    title: 'Sign out?',
    body: (organization) =>
      html`You will be signed out of ${organization} in this browser, and of the applications you opened with
      it.`,
    submit: 'Sign out',
    busy: 'Signing out…',
    stay: 'Stay signed in',
  },
  forbidden: {
    title: 'This page is for administrators',
    body: 'You are signed in, but this account is not an instance administrator.',
    next: 'Sign in with an account that is, or ask an instance administrator for the role.',
  },
  home: {
    title: 'Sign-in service',
    body: (service) => html`Applications use ${service} to sign people in and to check who they are.`,
    forPeople: 'To sign in, open your application. It brings you here and back.',
    signedInAs: (loginName) => html`You are signed in as ${loginName}.`,
    forDevelopers: 'For developers',
    discovery: 'Discovery document',
    keys: 'Public signing keys',
    dashboard: 'Queue dashboard',
  },
};
