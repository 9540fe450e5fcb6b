import type { MailTexts } from './mail-texts.js';

export const en: MailTexts = {
  lang: 'en',
  dates: 'en-GB',
  dir: 'ltr',
  moment: (day, time) => `${day} at ${time}`,
  labelled: (label) => `${label}:`,
  greeting: (name) => `Hello ${name},`,
  greetingWithoutName: 'Hello,',
  loginName: 'Your login name',
  linkInstead: 'If the button does nothing, copy this address into your browser:',
  code: 'If the page asks for a code, enter this one:',
  validUntil: (moment) => `The link and the code are valid until ${moment} and can be used once.`,
  neverShare: 'We will never ask you for this code.',
  sms: (organization, code) => `Your code for ${organization}: ${code}. Never share it.`,
  init: {
    subject: (organization) => `Set your password for ${organization}`,
    preview: (organization) => `Your account at ${organization} only needs a password.`,
    heading: 'Set your password',
    paragraphs: (organization) => [
      `An account was created for you at ${organization}. Choose a password to start using it.`,
      'This also confirms that this e-mail address is yours.',
    ],
    button: 'Set password',
    why: (organization) =>
      `You received this e-mail because ${organization} entered this address for a new account. If you did not expect one, you can ignore this e-mail: nobody can sign in to the account without a password.`,
  },
  verifyEmail: {
    subject: (organization) => `Verify your e-mail address for ${organization}`,
    preview: (organization) => `One more step, so that ${organization} knows this address is yours.`,
    heading: 'Verify your e-mail address',
    paragraphs: (organization) => [
      `Please confirm that this e-mail address belongs to your account at ${organization}.`,
    ],
    button: 'Verify e-mail address',
    why: (organization) =>
      `You received this e-mail because this address was entered for an account at ${organization}. If the account is not yours, you can ignore this e-mail: the address stays unverified.`,
  },
  passwordReset: {
    subject: (organization) => `Choose a new password for ${organization}`,
    preview: (organization) => `Use this code to get back into your account at ${organization}.`,
    heading: 'Choose a new password',
    paragraphs: (organization) => [
      `You told us that you forgot the password for your account at ${organization}. Choose a new one here.`,
    ],
    button: 'Choose new password',
    why: (organization) =>
      `You received this e-mail because somebody entered your login name on the page for forgotten passwords at ${organization}. If it was not you, you can ignore this e-mail: your password stays the same.`,
  },
  passwordChanged: {
    subject: (organization) => `Your password for ${organization} was changed`,
    preview: () => 'If this was you, there is nothing to do.',
    heading: 'Your password was changed',
    paragraphs: (organization, moment) => [
      `The password for your account at ${organization} was changed on ${moment}.`,
      'If this was you, there is nothing to do.',
    ],
    signedOutElsewhere: 'The account was signed out everywhere else.',
    notYou: 'If this was not you, choose a new password right away:',
    notYouWithoutLink: (organization) =>
      `If this was not you, contact the people who manage the accounts at ${organization} right away.`,
    button: 'Choose new password',
    why: (organization) =>
      `You received this e-mail because this is the address of your account at ${organization}. We always tell you when your password changes.`,
  },
  emailChanged: {
    subject: (organization) => `The e-mail address of your account at ${organization} is changing`,
    preview: () => 'If this was you, there is nothing to do.',
    heading: 'The e-mail address of your account is changing',
    paragraphs: (organization, moment) => [
      `A new e-mail address was entered for your account at ${organization} on ${moment}. Once it is confirmed, it replaces this one.`,
      'If this was you, there is nothing to do.',
    ],
    signedOutElsewhere: 'The account was signed out everywhere else.',
    notYou: 'If this was not you, choose a new password right away:',
    notYouWithoutLink: (organization) =>
      `If this was not you, contact the people who manage the accounts at ${organization} right away.`,
    button: 'Choose new password',
    why: (organization) =>
      `You received this e-mail because this is the current address of your account at ${organization}. We always tell you when it changes.`,
  },
  register: {
    subject: (organization) => `Finish creating your account at ${organization}`,
    preview: (organization) => `Use this code to finish creating your account at ${organization}.`,
    heading: 'Finish creating your account',
    paragraphs: (organization) => [
      `Please confirm that this e-mail address is yours. Your account at ${organization} is then ready.`,
      'Continue in the browser where you started: open the link there, or enter the code there. The account cannot be finished in another browser.',
    ],
    button: 'Finish account',
    why: (organization) =>
      `You received this e-mail because somebody entered this address for a new account at ${organization}. If it was not you, you can ignore this e-mail: no account will be created.`,
  },
  accountExists: {
    subject: (organization) => `You already have an account at ${organization}`,
    preview: () => 'Sign in with it. Nothing was changed.',
    heading: 'You already have an account',
    paragraphs: (organization, moment) => [
      `On ${moment} somebody entered this e-mail address for a new account at ${organization}. An account with this address already exists, so no second one was created.`,
      'If this was you, sign in with the account you have.',
    ],
    button: 'Sign in',
    forgotten: 'Forgotten your password? Choose a new one here:',
    why: (organization) =>
      `You received this e-mail because this is the address of your account at ${organization}. If it was not you, you can ignore this e-mail: nothing was changed.`,
  },
  resetChoice: {
    subject: () => 'Choose the account for your new password',
    preview: () => 'Several accounts have this address. Nothing was changed.',
    heading: 'Which account do you mean?',
    paragraphs: (moment) => [
      `On ${moment} somebody entered this e-mail address on the page for forgotten passwords. It could mean more than one account, so nothing was changed and no code was sent.`,
      'If this was you, enter the full login name of the account you mean on that page. These accounts have this address:',
    ],
    needsNewPassword: 'Enter its full login name to get a code for a new password.',
    needsFirstPassword: 'It has no password yet. Enter its full login name to get a code for the first one.',
    button: 'Choose a new password',
    why: (organization) =>
      `You received this e-mail because this is the address of these accounts, one of them at ${organization}. If it was not you, you can ignore this e-mail: your passwords stay the same.`,
  },
};
