import { html } from '../../../domain/shared/html.js';
import type { Texts } from './texts.js';

export const en: Texts = {
  lang: 'en',
  languageName: 'English',
  dir: 'ltr',
  layout: {
    title: (page, organization) => `${page} – ${organization}`,
    titleWithProblem: (page, organization) => `Error: ${page} – ${organization}`,
    problem: 'Error:',
    labelled: (label) => `${label}:`,
    language: 'Language',
    help: 'Help',
    privacy: 'Privacy',
  },
  form: {
    loginName: 'Login name',
    loginNameHint: 'Your user name or e-mail address',
    password: 'Password',
    code: 'Code',
    familyNameFirst: false,
    firstName: 'First name',
    lastName: 'Last name',
    email: 'E-mail address',
    showPassword: 'Show password',
    hidePassword: 'Hide password',
    show: 'Show',
    hide: 'Hide',
    account: 'Account',
    problems: {
      'too-many-attempts': {
        summary: 'Too many attempts. Wait a few minutes, then try again.',
        atField: 'Try again in a few minutes',
      },
      'too-busy': {
        summary:
          'Too many people are signing in right now, so we did not check your password. Try again in a few seconds.',
        atField: 'Try again in a few seconds',
      },
      'form-outdated': {
        summary: 'This page was open for too long, so nothing was sent. Please try again.',
        atField: 'Enter this again',
      },
    },
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
        summary:
          'The login name or the password is wrong. Check both, or use your full login name. After several failed attempts, wait a few minutes.',
        atField: 'Enter your password again',
      },
      'login-name-missing': { summary: 'Enter your login name.', atField: 'Enter your login name' },
      'password-missing': { summary: 'Enter your password.', atField: 'Enter your password' },
      'full-login-name-needed': {
        summary: 'Use your full login name. It looks like name@example.com.',
        atField: 'Enter your full login name',
      },
    },
  },
  chooseAccount: {
    title: 'Choose an account',
    signedIn: 'Signed in',
    signedOut: 'Signed out',
    remove: (name) => `Remove ${name} from this list`,
    otherAccount: 'Sign in with another account',
  },
  consent: {
    title: 'Allow this application to act for you?',
    lead: (application) => html`${application} wants to act on your behalf.`,
    owner: 'Owner',
    where: 'Access to',
    everywhere: 'All organizations',
    back: 'Returns to',
    gets: 'If you allow it, it can',
    instance: 'do everything that you can do in the administration of this service, in every organization',
    organization: (organization) =>
      html`do everything that you can do in the administration of ${organization}, and nothing in any other
      organization`,
    account: 'see and change your own account: your name, e-mail address, phone number and password',
    trust: (owner) =>
      html`Allow this only if you know the application and trust ${owner}. You can take it back at any time.`,
    allow: 'Allow',
    busy: 'One moment…',
    deny: 'Do not allow',
  },
  register: {
    title: 'Create your account',
    loginNameHint: (domain) => html`Your login name will end in ${domain}`,
    emailHint: 'We send a code to this address',
    submit: 'Create account',
    busy: 'Creating account…',
    failed: 'Your account is not created yet',
    haveAccount: 'Sign in to an existing account',
    problems: {
      'first-name-missing': { summary: 'Enter your first name.', atField: 'Enter your first name' },
      'first-name-too-long': {
        summary: 'This first name is too long. Enter a shorter form of it.',
        atField: 'Enter a shorter form of your first name',
      },
      'first-name-not-valid': {
        summary:
          'This first name contains invisible characters or characters that change the direction of the text. Type it again.',
        atField: 'Type your first name instead of pasting it',
      },
      'last-name-missing': { summary: 'Enter your last name.', atField: 'Enter your last name' },
      'last-name-too-long': {
        summary: 'This last name is too long. Enter a shorter form of it.',
        atField: 'Enter a shorter form of your last name',
      },
      'last-name-not-valid': {
        summary:
          'This last name contains invisible characters or characters that change the direction of the text. Type it again.',
        atField: 'Type your last name instead of pasting it',
      },
      'email-missing': { summary: 'Enter your e-mail address.', atField: 'Enter your e-mail address' },
      'email-not-valid': {
        summary: 'This e-mail address is not complete. It should look like name@example.com.',
        atField: 'Enter a complete e-mail address',
      },
      'email-not-available': {
        summary: 'This e-mail address cannot be used for a new account. Use another one, or sign in.',
        atField: 'Enter another e-mail address',
      },
      'login-name-missing': { summary: 'Choose a login name.', atField: 'Enter a login name' },
      'login-name-not-valid': {
        summary: 'This login name is too long or contains characters that are not allowed, such as spaces.',
        atField: 'Enter a login name without spaces',
      },
      'login-name-not-available': {
        summary: 'This login name cannot be used for a new account. Choose another one.',
        atField: 'Enter another login name',
      },
    },
  },
  code: {
    hint: 'From the e-mail we sent you',
    newCode: 'Send a new code',
    sendAgain: 'Send again',
    sendAgainBusy: 'Sending…',
    sendAgainIn: (time) => html`You can request a new code in ${time}`,
    sentAgain: 'A new code is on its way. The previous one no longer works.',
    notArrived: 'Not there? Check your spam folder.',
    problems: {
      'code-missing': { summary: 'Enter the code from the e-mail.', atField: 'Enter the code' },
      'code-not-valid': {
        summary: 'This code is wrong or no longer valid. Use the code of the newest e-mail.',
        atField: 'Enter the code of the newest e-mail',
      },
    },
  },
  newPassword: {
    label: 'New password',
    repeat: 'Repeat new password',
    rules: 'Your password needs:',
    minLength: (length) => `at least ${length} characters`,
    upperCase: 'an upper-case letter (A–Z)',
    lowerCase: 'a lower-case letter (a–z)',
    number: 'a number (0–9)',
    symbol: 'a symbol, such as ! or #',
    unmet: (rule) => `${rule} (missing)`,
    problems: {
      'password-missing': { summary: 'Choose a new password.', atField: 'Enter a new password' },
      'password-too-weak': {
        summary: 'Choose a password that meets every requirement on the list.',
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
    },
  },
  setPassword: {
    title: 'Set your password',
    lead: (organization) => html`for your account at ${organization}`,
    submit: 'Set password',
    busy: 'Setting password…',
    failed: 'Your password is not set yet',
  },
  forgottenPassword: {
    title: 'Forgotten password?',
    lead: 'Enter your login name. We will e-mail you a code for choosing a new password.',
    submit: 'Send code',
    busy: 'Sending code…',
    failed: 'No code was sent yet',
    backToSignIn: 'Back to sign-in',
    problems: {
      'login-name-missing': {
        summary: 'Enter your login name or your e-mail address.',
        atField: 'Enter your login name',
      },
    },
  },
  resetSent: {
    title: 'Check your e-mail',
    body: (account) => html`If there is an account for ${account}, an e-mail with a code is on its way.`,
    bodyWithoutName: 'If there is such an account, an e-mail with a code is on its way.',
    enterCode: 'Enter code',
    otherName: 'Use another login name',
  },
  resetPassword: {
    title: 'Choose a new password',
    lead: 'Enter the code we sent you and choose a new password.',
  },
  changePassword: {
    title: 'Change your password',
    reasons: {
      expired: 'Your password has expired. Choose a new one to continue.',
      required: 'Before you continue, replace your password with one that only you know.',
      wanted: 'You will use it the next time you sign in.',
    },
    currentPassword: 'Current password',
    submit: 'Change password',
    busy: 'Changing password…',
    failed: 'Your password is not changed yet',
    problems: {
      'current-missing': {
        summary: 'Enter your current password.',
        atField: 'Enter your current password',
      },
      'current-wrong': {
        summary: 'The current password is wrong.',
        atField: 'Enter your current password again',
      },
      'password-unchanged': {
        summary: 'The new password is the same as your current one. Choose another one.',
        atField: 'Choose another password',
      },
    },
  },
  passwordSet: {
    title: 'Your password is set',
    body: 'Use it from now on to sign in.',
    bodyWithEmail: (address) =>
      html`Use it from now on to sign in. Your e-mail address ${address} is verified, too.`,
    signedOutElsewhere: 'To be on the safe side, we signed you out everywhere else.',
  },
  verifyEmail: {
    title: 'Verify your e-mail address',
    sentTo: (address) => html`Enter the code we sent to ${address}`,
    lead: 'Enter the code we sent you',
    submit: 'Verify',
    busy: 'Verifying…',
    failed: 'Your e-mail address is not verified yet',
    why: 'Before you continue, we need to know that our e-mails reach you.',
    later: 'Not now',
  },
  emailVerified: {
    title: 'Your e-mail address is verified',
    body: (address) => html`Thank you. We now know that you receive e-mails at ${address}.`,
    bodyWithoutAddress: 'Thank you. We now know that our e-mails reach you.',
    closeWindow: 'There is nothing more to do. You can close this page.',
  },
  verifyPhone: {
    title: 'Verify your phone number',
    sentTo: (number) => html`Enter the code we sent to ${number}`,
    failed: 'Your phone number is not verified yet',
    problems: {
      'code-missing': { summary: 'Enter the code from the message.', atField: 'Enter the code' },
      'code-not-valid': {
        summary: 'This code is wrong or no longer valid. Use the code of the newest message.',
        atField: 'Enter the code of the newest message',
      },
    },
    linkOver:
      'Use the link in the newest message. If your number is already verified, there is nothing more to do.',
  },
  phoneVerified: {
    title: 'Your phone number is verified',
    body: (number) => html`Thank you. We now know that you receive messages at ${number}.`,
  },
  signedIn: {
    title: 'You are signed in',
    body: 'There is nothing left to do on this page.',
  },
  formPost: {
    title: 'One moment',
    body: (application) =>
      html`You are on your way back to ${application}. If nothing happens, press the button.`,
    bodyWithoutName: 'You are on your way back to the application. If nothing happens, press the button.',
    submit: 'Continue',
  },
  waysOn: {
    signIn: 'Sign in',
    continueTo: (application) => html`Continue to ${application}`,
    beginAgain: 'Start again',
    signOut: 'Sign out',
    otherAccount: 'Use another account',
  },
  errors: {
    kinds: {
      request: {
        title: 'We could not sign you in',
        next: 'Go back to the application and try again. If this page appears again, send the details below to the people who run the application.',
      },
      'sign-out-request': {
        title: 'We could not sign you out',
        next: 'You may still be signed in. Go back to the application and try again, or send the details below to the people who run it.',
      },
      form: {
        title: 'We could not accept this form',
        next: 'Go back to the previous page and start again. Your browser must allow cookies for this site.',
      },
      'registration-off': {
        title: 'You cannot create an account here',
        next: 'If you have an account, go back to the application and sign in with it.',
      },
      'not-found': {
        title: 'Page not found',
        next: 'Check the address. If you followed a link, it may be out of date.',
      },
      'too-many-requests': {
        title: 'Too many attempts',
        next: 'Wait a few minutes, then try again.',
      },
      unavailable: {
        title: 'The service is not available right now',
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
    form: 'It was not sent from our page, or the page was open for too long.',
    registrationOff: 'The organization creates the accounts itself. Ask the people who run the application.',
    notFound: 'There is nothing at this address.',
    tooManyRequests: 'We received more requests from your network than we allow.',
    unavailable: 'Part of this service is restarting.',
    server: 'You did nothing wrong.',
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
    body: 'It was open for too long, or it has already been completed. Nothing was changed.',
    next: 'You can start again right away.',
    nextWithoutLink: 'Go back to the application you came from and start again.',
  },
  linkOver: {
    title: 'This link is no longer valid',
    body: 'It has already been used, it is too old, or we sent you a newer one.',
    next: 'Use the link in the newest e-mail. If you have already finished, just sign in.',
  },
  registerElsewhere: {
    title: 'Continue where you started',
    body: 'You can only finish creating your account in the browser where you started. Go back to that page and enter the code from the e-mail.',
    over: 'If you started in this browser, the registration has expired. Please start again.',
    notYou: 'If you did not ask for an account, you can ignore the e-mail. No account will be created.',
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
    forPeople: 'Usually an application brings you here, and back to it once you are signed in.',
    signedInAs: (loginName) => html`You are signed in as ${loginName}.`,
    forAdministrators: 'For administrators',
    apiReference: 'API reference',
    mailsWait:
      'E-mails are not being sent: no mail server is set up. They wait until SMTP_URL is set or a provider is added.',
    discovery: 'Discovery document',
    keys: 'Public signing keys',
    dashboard: 'Queue dashboard',
  },
};
