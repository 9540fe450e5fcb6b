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
  validUntil: (moment) => `Link and code are valid until ${moment} and work once.`,
  neverShare: 'Nobody from us will ever ask you for the code.',
  sms: (organization, code) => `Your code for ${organization}: ${code}. Never share it.`,
  init: {
    subject: (organization) => `Set your password for ${organization}`,
    preview: (organization) => `Your account at ${organization} is ready but for a password.`,
    heading: 'Set your password',
    paragraphs: (organization) => [
      `An account was made for you at ${organization}. Choose a password to use it.`,
      'By doing so you also confirm that this e-mail address is yours.',
    ],
    button: 'Set password',
    why: (organization) =>
      `You get this e-mail because ${organization} entered this address for a new account. If you do not expect one, do nothing: nobody can sign in to the account without a password.`,
  },
  verifyEmail: {
    subject: (organization) => `Verify your e-mail address for ${organization}`,
    preview: (organization) => `One step, so that ${organization} knows this address is yours.`,
    heading: 'Verify your e-mail address',
    paragraphs: (organization) => [
      `Please confirm that this e-mail address belongs to your account at ${organization}.`,
    ],
    button: 'Verify e-mail address',
    why: (organization) =>
      `You get this e-mail because this address was entered for an account at ${organization}. If the account is not yours, do nothing: the address then stays unverified.`,
  },
  passwordReset: {
    subject: (organization) => `Choose a new password for ${organization}`,
    preview: (organization) => `With this code you get back into your account at ${organization}.`,
    heading: 'Choose a new password',
    paragraphs: (organization) => [
      `You told us that you forgot the password of your account at ${organization}. Choose a new one here.`,
    ],
    button: 'Choose new password',
    why: (organization) =>
      `You get this e-mail because somebody entered your login name on the page for forgotten passwords at ${organization}. If it was not you, do nothing: your password stays as it is.`,
  },
  passwordChanged: {
    subject: (organization) => `Your password for ${organization} was changed`,
    preview: () => 'If it was you, there is nothing to do.',
    heading: 'Your password was changed',
    paragraphs: (organization, moment) => [
      `The password of your account at ${organization} was changed on ${moment}.`,
      'If it was you, there is nothing to do.',
    ],
    signedOutElsewhere: 'The account was signed out everywhere else.',
    notYou: 'If it was not you, choose a new password right away:',
    notYouWithoutLink: (organization) =>
      `If it was not you, tell the people who run the accounts at ${organization} right away.`,
    button: 'Choose new password',
    why: (organization) =>
      `You get this e-mail because it is the address of your account at ${organization}. We always tell you when your password changes.`,
  },
  emailChanged: {
    subject: (organization) => `The e-mail address of your account at ${organization} is changing`,
    preview: () => 'If it was you, there is nothing to do.',
    heading: 'The e-mail address of your account is changing',
    paragraphs: (organization, moment) => [
      `A new e-mail address was entered for your account at ${organization} on ${moment}. Once it is confirmed, it takes the place of this one.`,
      'If it was you, there is nothing to do.',
    ],
    signedOutElsewhere: 'The account was signed out everywhere else.',
    notYou: 'If it was not you, choose a new password right away:',
    notYouWithoutLink: (organization) =>
      `If it was not you, tell the people who run the accounts at ${organization} right away.`,
    button: 'Choose new password',
    why: (organization) =>
      `You get this e-mail because it is the address of your account at ${organization} so far. We always tell you when it changes.`,
  },
  register: {
    subject: (organization) => `Finish your account at ${organization}`,
    preview: (organization) => `With this code your account at ${organization} is ready.`,
    heading: 'Finish your account',
    paragraphs: (organization) => [
      `Please confirm that this e-mail address is yours. With that, your account at ${organization} is ready.`,
      'Go on in the browser where you began: open the link there, or enter the code there. Nothing can be finished in another browser.',
    ],
    button: 'Finish account',
    why: (organization) =>
      `You get this e-mail because somebody entered this address for a new account at ${organization}. If it was not you, ignore this e-mail: no account is made.`,
  },
  accountExists: {
    subject: (organization) => `You already have an account at ${organization}`,
    preview: () => 'Sign in with it; nothing was changed.',
    heading: 'You already have an account',
    paragraphs: (organization, moment) => [
      `On ${moment} somebody entered this e-mail address for a new account at ${organization}. There is one with this address already, so no second one was made.`,
      'If it was you, sign in with the account you have.',
    ],
    button: 'Sign in',
    forgotten: 'Forgotten your password? Choose a new one here:',
    why: (organization) =>
      `You get this e-mail because it is the address of your account at ${organization}. If it was not you, do nothing: nothing was changed.`,
  },
  resetChoice: {
    subject: () => 'Choose the account for your new password',
    preview: () => 'Several accounts have this address; nothing was changed.',
    heading: 'Which account do you mean?',
    paragraphs: (moment) => [
      `On ${moment} somebody entered this e-mail address on the page for forgotten passwords. It could mean more than one account, so nothing was changed and no code was sent.`,
      'If it was you, enter the full login name of the account that you mean on that page. These accounts have this address:',
    ],
    needsNewPassword: 'Its full login name gets you a code for a new password.',
    needsFirstPassword: 'It has no password yet. Its full login name gets you a code for the first one.',
    button: 'Choose a new password',
    why: (organization) =>
      `You get this e-mail because this is the address of these accounts, one of them at ${organization}. If it was not you, do nothing: your passwords stay as they are.`,
  },
};
