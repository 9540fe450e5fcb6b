import type { MailTexts } from './mail-texts.js';

export const nl: MailTexts = {
  lang: 'nl',
  dates: 'nl-NL',
  dir: 'ltr',
  moment: (day, time) => `${day} om ${time}`,
  labelled: (label) => `${label}:`,
  greeting: (name) => `Beste ${name},`,
  greetingWithoutName: 'Goedendag,',
  loginName: 'Uw inlognaam',
  linkInstead: 'Werkt de knop niet? Kopieer dan dit adres naar uw browser:',
  code: 'Vraagt de pagina om een code? Voer dan deze in:',
  validUntil: (moment) => `De link en de code zijn geldig tot ${moment} en werken één keer.`,
  neverShare: 'Niemand van ons zal u ooit om de code vragen.',
  sms: (organization, code) => `Uw code voor ${organization}: ${code}. Deel hem met niemand.`,
  init: {
    subject: (organization) => `Stel uw wachtwoord voor ${organization} in`,
    preview: (organization) =>
      `Uw account bij ${organization} is klaar, alleen een wachtwoord ontbreekt nog.`,
    heading: 'Stel uw wachtwoord in',
    paragraphs: (organization) => [
      `Er is een account voor u aangemaakt bij ${organization}. Kies een wachtwoord om het te gebruiken.`,
      'Daarmee bevestigt u ook dat dit e-mailadres van u is.',
    ],
    button: 'Wachtwoord instellen',
    why: (organization) =>
      `U ontvangt deze e-mail omdat ${organization} dit adres heeft opgegeven voor een nieuw account. Verwacht u er geen? Dan hoeft u niets te doen: zonder wachtwoord kan niemand met het account inloggen.`,
  },
  verifyEmail: {
    subject: (organization) => `Bevestig uw e-mailadres voor ${organization}`,
    preview: (organization) => `Eén stap, zodat ${organization} weet dat dit adres van u is.`,
    heading: 'Bevestig uw e-mailadres',
    paragraphs: (organization) => [`Bevestig dat dit e-mailadres bij uw account bij ${organization} hoort.`],
    button: 'E-mailadres bevestigen',
    why: (organization) =>
      `U ontvangt deze e-mail omdat dit adres is opgegeven voor een account bij ${organization}. Is het account niet van u? Dan hoeft u niets te doen: het adres blijft dan onbevestigd.`,
  },
  passwordReset: {
    subject: (organization) => `Kies een nieuw wachtwoord voor ${organization}`,
    preview: (organization) => `Met deze code krijgt u weer toegang tot uw account bij ${organization}.`,
    heading: 'Kies een nieuw wachtwoord',
    paragraphs: (organization) => [
      `U hebt ons laten weten dat u het wachtwoord van uw account bij ${organization} bent vergeten. Kies hier een nieuw wachtwoord.`,
    ],
    button: 'Nieuw wachtwoord kiezen',
    why: (organization) =>
      `U ontvangt deze e-mail omdat iemand uw inlognaam heeft ingevoerd op de pagina voor vergeten wachtwoorden van ${organization}. Was u dat niet? Dan hoeft u niets te doen: uw wachtwoord blijft hetzelfde.`,
  },
  passwordChanged: {
    subject: (organization) => `Uw wachtwoord voor ${organization} is gewijzigd`,
    preview: () => 'Als u dit zelf hebt gedaan, hoeft u niets te doen.',
    heading: 'Uw wachtwoord is gewijzigd',
    paragraphs: (organization, moment) => [
      `Het wachtwoord van uw account bij ${organization} is gewijzigd op ${moment}.`,
      'Als u dit zelf hebt gedaan, hoeft u niets te doen.',
    ],
    signedOutElsewhere: 'Het account is overal elders uitgelogd.',
    notYou: 'Hebt u dit niet gedaan? Kies dan meteen een nieuw wachtwoord:',
    notYouWithoutLink: (organization) =>
      `Hebt u dit niet gedaan? Meld het dan meteen bij de beheerders van de accounts van ${organization}.`,
    button: 'Nieuw wachtwoord kiezen',
    why: (organization) =>
      `U ontvangt deze e-mail omdat dit het adres van uw account bij ${organization} is. We laten het u altijd weten als uw wachtwoord verandert.`,
  },
  emailChanged: {
    subject: (organization) => `Het e-mailadres van uw account bij ${organization} verandert`,
    preview: () => 'Als u dit zelf hebt gedaan, hoeft u niets te doen.',
    heading: 'Het e-mailadres van uw account verandert',
    paragraphs: (organization, moment) => [
      `Voor uw account bij ${organization} is op ${moment} een nieuw e-mailadres ingevoerd. Zodra het is bevestigd, vervangt het dit adres.`,
      'Als u dit zelf hebt gedaan, hoeft u niets te doen.',
    ],
    signedOutElsewhere: 'Het account is overal elders uitgelogd.',
    notYou: 'Hebt u dit niet gedaan? Kies dan meteen een nieuw wachtwoord:',
    notYouWithoutLink: (organization) =>
      `Hebt u dit niet gedaan? Meld het dan meteen bij de beheerders van de accounts van ${organization}.`,
    button: 'Nieuw wachtwoord kiezen',
    why: (organization) =>
      `U ontvangt deze e-mail omdat dit tot nu toe het adres van uw account bij ${organization} is. We laten het u altijd weten als het verandert.`,
  },
  register: {
    subject: (organization) => `Rond uw registratie bij ${organization} af`,
    preview: (organization) => `Met deze code is uw account bij ${organization} klaar.`,
    heading: 'Rond uw registratie af',
    paragraphs: (organization) => [
      `Bevestig dat dit e-mailadres van u is. Daarmee is uw account bij ${organization} klaar.`,
      'Ga verder in de browser waarin u bent begonnen: open daar de link of voer daar de code in. In een andere browser kan dat niet.',
    ],
    button: 'Registratie afronden',
    why: (organization) =>
      `U ontvangt deze e-mail omdat iemand dit adres heeft ingevoerd voor een nieuw account bij ${organization}. Was u dat niet? Dan kunt u deze e-mail negeren: er wordt geen account aangemaakt.`,
  },
  accountExists: {
    subject: (organization) => `U hebt al een account bij ${organization}`,
    preview: () => 'Log daarmee in, er is niets veranderd.',
    heading: 'U hebt al een account',
    paragraphs: (organization, moment) => [
      `Op ${moment} heeft iemand dit e-mailadres ingevoerd voor een nieuw account bij ${organization}. Er bestaat al een account met dit adres, dus er is geen tweede aangemaakt.`,
      'Was u dat? Log dan in met het account dat u al hebt.',
    ],
    button: 'Inloggen',
    forgotten: 'Wachtwoord vergeten? Kies hier een nieuw:',
    why: (organization) =>
      `U ontvangt deze e-mail omdat dit het adres van uw account bij ${organization} is. Was u dat niet? Dan hoeft u niets te doen: er is niets veranderd.`,
  },
  resetChoice: {
    subject: () => 'Kies het account voor uw nieuwe wachtwoord',
    preview: () => 'Meerdere accounts hebben dit adres, er is niets veranderd.',
    heading: 'Welk account bedoelt u?',
    paragraphs: (moment) => [
      `Op ${moment} heeft iemand dit e-mailadres ingevoerd op de pagina voor vergeten wachtwoorden. Het kan meer dan één account betekenen, dus er is niets veranderd en er is geen code verstuurd.`,
      'Was u dat? Voer dan op die pagina de volledige loginnaam in van het account dat u bedoelt. Deze accounts hebben dit adres:',
    ],
    needsNewPassword: 'Met de volledige loginnaam krijgt u een code voor een nieuw wachtwoord.',
    needsFirstPassword:
      'Het heeft nog geen wachtwoord. Met de volledige loginnaam krijgt u een code voor het eerste.',
    button: 'Nieuw wachtwoord kiezen',
    why: (organization) =>
      `U ontvangt deze e-mail omdat dit het adres van deze accounts is, waarvan één bij ${organization}. Was u dat niet? Dan hoeft u niets te doen: uw wachtwoorden blijven zoals ze zijn.`,
  },
};
