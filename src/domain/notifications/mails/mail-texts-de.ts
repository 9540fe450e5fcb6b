import type { MailTexts } from './mail-texts.js';

export const de: MailTexts = {
  lang: 'de',
  dates: 'de-DE',
  dir: 'ltr',
  moment: (day, time) => `${day} um ${time}`,
  labelled: (label) => `${label}:`,
  greeting: (name) => `Guten Tag ${name},`,
  greetingWithoutName: 'Guten Tag,',
  loginName: 'Ihr Anmeldename',
  linkInstead: 'Falls die Schaltfläche nicht funktioniert, kopieren Sie diese Adresse in Ihren Browser:',
  code: 'Falls die Seite nach einem Code fragt, geben Sie diesen ein:',
  validUntil: (moment) => `Link und Code gelten bis ${moment} und nur einmal.`,
  neverShare: 'Von uns wird Sie niemals jemand nach dem Code fragen.',
  sms: (organization, code) => `Ihr Code für ${organization}: ${code}. Geben Sie ihn niemandem weiter.`,
  init: {
    subject: (organization) => `Legen Sie Ihr Passwort für ${organization} fest`,
    preview: (organization) => `Ihr Konto bei ${organization} ist bereit, es fehlt nur noch ein Passwort.`,
    heading: 'Passwort festlegen',
    paragraphs: (organization) => [
      `bei ${organization} wurde ein Konto für Sie angelegt. Wählen Sie ein Passwort, um es zu nutzen.`,
      'Damit bestätigen Sie zugleich, dass diese E-Mail-Adresse Ihnen gehört.',
    ],
    button: 'Passwort festlegen',
    why: (organization) =>
      `Sie erhalten diese E-Mail, weil diese Adresse bei ${organization} für ein neues Konto eingetragen wurde. Wenn Sie keines erwarten, brauchen Sie nichts zu tun: Ohne Passwort kann sich niemand mit dem Konto anmelden.`,
  },
  verifyEmail: {
    subject: (organization) => `Bestätigen Sie Ihre E-Mail-Adresse für ${organization}`,
    preview: (organization) => `Ein Schritt, damit ${organization} weiß, dass diese Adresse Ihnen gehört.`,
    heading: 'E-Mail-Adresse bestätigen',
    paragraphs: (organization) => [
      `bitte bestätigen Sie, dass diese E-Mail-Adresse zu Ihrem Konto bei ${organization} gehört.`,
    ],
    button: 'E-Mail-Adresse bestätigen',
    why: (organization) =>
      `Sie erhalten diese E-Mail, weil diese Adresse für ein Konto bei ${organization} eingetragen wurde. Wenn das Konto nicht Ihres ist, brauchen Sie nichts zu tun: Die Adresse bleibt dann unbestätigt.`,
  },
  passwordReset: {
    subject: (organization) => `Wählen Sie ein neues Passwort für ${organization}`,
    preview: (organization) => `Mit diesem Code kommen Sie wieder in Ihr Konto bei ${organization}.`,
    heading: 'Neues Passwort wählen',
    paragraphs: (organization) => [
      `Sie haben uns mitgeteilt, dass Sie das Passwort Ihres Kontos bei ${organization} vergessen haben. Hier wählen Sie ein neues.`,
    ],
    button: 'Neues Passwort wählen',
    why: (organization) =>
      `Sie erhalten diese E-Mail, weil jemand bei ${organization} Ihren Anmeldenamen auf der Seite für vergessene Passwörter eingegeben hat. Wenn Sie das nicht waren, brauchen Sie nichts zu tun: Ihr Passwort bleibt, wie es ist.`,
  },
  passwordChanged: {
    subject: (organization) => `Ihr Passwort für ${organization} wurde geändert`,
    preview: () => 'Wenn Sie das waren, ist nichts weiter zu tun.',
    heading: 'Ihr Passwort wurde geändert',
    paragraphs: (organization, moment) => [
      `das Passwort Ihres Kontos bei ${organization} wurde am ${moment} geändert.`,
      'Wenn Sie das waren, ist nichts weiter zu tun.',
    ],
    signedOutElsewhere: 'Überall sonst wurde das Konto abgemeldet.',
    notYou: 'Wenn Sie das nicht waren, wählen Sie bitte sofort ein neues Passwort:',
    notYouWithoutLink: (organization) =>
      `Wenn Sie das nicht waren, melden Sie es bitte sofort der Stelle, die bei ${organization} die Konten betreut.`,
    button: 'Neues Passwort wählen',
    why: (organization) =>
      `Sie erhalten diese E-Mail, weil diese Adresse zu Ihrem Konto bei ${organization} gehört. Wir sagen Ihnen immer Bescheid, wenn sich Ihr Passwort ändert.`,
  },
  emailChanged: {
    subject: (organization) => `Die E-Mail-Adresse Ihres Kontos bei ${organization} ändert sich`,
    preview: () => 'Wenn Sie das waren, ist nichts weiter zu tun.',
    heading: 'Die E-Mail-Adresse Ihres Kontos ändert sich',
    paragraphs: (organization, moment) => [
      `für Ihr Konto bei ${organization} wurde am ${moment} eine neue E-Mail-Adresse eingetragen. Sobald sie bestätigt ist, tritt sie an die Stelle dieser Adresse.`,
      'Wenn Sie das waren, ist nichts weiter zu tun.',
    ],
    signedOutElsewhere: 'Überall sonst wurde das Konto abgemeldet.',
    notYou: 'Wenn Sie das nicht waren, wählen Sie bitte sofort ein neues Passwort:',
    notYouWithoutLink: (organization) =>
      `Wenn Sie das nicht waren, melden Sie es bitte sofort der Stelle, die bei ${organization} die Konten betreut.`,
    button: 'Neues Passwort wählen',
    why: (organization) =>
      `Sie erhalten diese E-Mail, weil diese Adresse bisher zu Ihrem Konto bei ${organization} gehört. Wir sagen Ihnen immer Bescheid, wenn sie sich ändert.`,
  },
  register: {
    subject: (organization) => `Schließen Sie Ihre Registrierung bei ${organization} ab`,
    preview: (organization) => `Mit diesem Code ist Ihr Konto bei ${organization} bereit.`,
    heading: 'Registrierung abschließen',
    paragraphs: (organization) => [
      `bitte bestätigen Sie, dass diese E-Mail-Adresse Ihnen gehört. Damit ist Ihr Konto bei ${organization} bereit.`,
      'Machen Sie in dem Browser weiter, in dem Sie begonnen haben: Öffnen Sie dort den Link oder geben Sie dort den Code ein. In einem anderen Browser geht es nicht.',
    ],
    button: 'Registrierung abschließen',
    why: (organization) =>
      `Sie erhalten diese E-Mail, weil jemand diese Adresse für ein neues Konto bei ${organization} eingegeben hat. Wenn Sie das nicht waren, brauchen Sie nichts zu tun: Es entsteht kein Konto.`,
  },
  accountExists: {
    subject: (organization) => `Sie haben bereits ein Konto bei ${organization}`,
    preview: () => 'Melden Sie sich damit an, es wurde nichts geändert.',
    heading: 'Sie haben bereits ein Konto',
    paragraphs: (organization, moment) => [
      `am ${moment} hat jemand diese E-Mail-Adresse für ein neues Konto bei ${organization} eingegeben. Zu dieser Adresse gibt es schon eines, deshalb wurde kein zweites angelegt.`,
      'Wenn Sie das waren, melden Sie sich mit Ihrem vorhandenen Konto an.',
    ],
    button: 'Anmelden',
    forgotten: 'Passwort vergessen? Hier wählen Sie ein neues:',
    why: (organization) =>
      `Sie erhalten diese E-Mail, weil diese Adresse zu Ihrem Konto bei ${organization} gehört. Wenn Sie das nicht waren, brauchen Sie nichts zu tun: Es wurde nichts geändert.`,
  },
  resetChoice: {
    subject: () => 'Wählen Sie das Konto für Ihr neues Passwort',
    preview: () => 'Mehrere Konten haben diese Adresse, es wurde nichts geändert.',
    heading: 'Welches Konto meinen Sie?',
    paragraphs: (moment) => [
      `am ${moment} hat jemand diese E-Mail-Adresse auf der Seite für vergessene Passwörter eingegeben. Sie kann mehr als ein Konto meinen, deshalb wurde nichts geändert und kein Code verschickt.`,
      'Wenn Sie das waren, geben Sie auf dieser Seite den vollständigen Anmeldenamen des gemeinten Kontos ein. Diese Konten haben diese Adresse:',
    ],
    needsNewPassword: 'Mit dem vollständigen Anmeldenamen erhalten Sie einen Code für ein neues Passwort.',
    needsFirstPassword:
      'Es hat noch kein Passwort. Mit dem vollständigen Anmeldenamen erhalten Sie einen Code für das erste.',
    button: 'Neues Passwort wählen',
    why: (organization) =>
      `Sie erhalten diese E-Mail, weil dies die Adresse dieser Konten ist, eines davon bei ${organization}. Wenn Sie das nicht waren, brauchen Sie nichts zu tun: Ihre Passwörter bleiben, wie sie sind.`,
  },
};
