import { html } from '../../../domain/shared/html.js';
import type { Texts } from './texts.js';

export const de: Texts = {
  lang: 'de',
  languageName: 'Deutsch',
  dir: 'ltr',
  layout: {
    title: (page, organization) => `${page} – ${organization}`,
    titleWithProblem: (page, organization) => `Fehler: ${page} – ${organization}`,
    problem: 'Fehler:',
    labelled: (label) => `${label}:`,
    language: 'Sprache',
    help: 'Hilfe',
    privacy: 'Datenschutz',
  },
  form: {
    loginName: 'Anmeldename',
    loginNameHint: 'Ihr Benutzername oder Ihre E-Mail-Adresse',
    password: 'Passwort',
    code: 'Code',
    familyNameFirst: false,
    firstName: 'Vorname',
    lastName: 'Nachname',
    email: 'E-Mail-Adresse',
    showPassword: 'Passwort anzeigen',
    hidePassword: 'Passwort verbergen',
    show: 'Anzeigen',
    hide: 'Verbergen',
    account: 'Konto',
    problems: {
      'too-many-attempts': {
        summary:
          'Das waren zu viele Versuche. Warten Sie ein paar Minuten und versuchen Sie es dann noch einmal.',
        atField: 'Versuchen Sie es in ein paar Minuten noch einmal',
      },
      'too-busy': {
        summary:
          'Gerade warten zu viele Anmeldungen. Ihr Passwort wurde nicht geprüft. Versuchen Sie es in ein paar Sekunden noch einmal.',
        atField: 'Versuchen Sie es in ein paar Sekunden noch einmal',
      },
      'form-outdated': {
        summary:
          'Diese Seite war zu lange geöffnet, deshalb wurde nichts gesendet. Bitte versuchen Sie es noch einmal.',
        atField: 'Geben Sie dies noch einmal ein',
      },
    },
  },
  signIn: {
    title: 'Anmelden',
    continueTo: (application) => html`weiter zu ${application}`,
    submit: 'Anmelden',
    busy: 'Anmeldung läuft\u00a0…',
    failed: 'Sie sind noch nicht angemeldet',
    forgottenPassword: 'Passwort vergessen?',
    createAccount: 'Konto erstellen',
    problems: {
      'wrong-credentials': {
        summary:
          'Der Anmeldename oder das Passwort ist falsch. Prüfen Sie beides oder verwenden Sie Ihren vollständigen Anmeldenamen. Warten Sie nach mehreren Fehlversuchen einige Minuten.',
        atField: 'Geben Sie Ihr Passwort noch einmal ein',
      },
      'login-name-missing': {
        summary: 'Geben Sie Ihren Anmeldenamen ein.',
        atField: 'Geben Sie Ihren Anmeldenamen ein',
      },
      'password-missing': { summary: 'Geben Sie Ihr Passwort ein.', atField: 'Geben Sie Ihr Passwort ein' },
      'full-login-name-needed': {
        summary: 'Verwenden Sie Ihren vollständigen Anmeldenamen. Er sieht aus wie name@example.com.',
        atField: 'Geben Sie Ihren vollständigen Anmeldenamen ein',
      },
    },
  },
  chooseAccount: {
    title: 'Konto auswählen',
    signedIn: 'Angemeldet',
    signedOut: 'Abgemeldet',
    remove: (name) => `${name} aus dieser Liste entfernen`,
    otherAccount: 'Mit anderem Konto anmelden',
  },
  consent: {
    title: 'Darf diese Anwendung für Sie handeln?',
    lead: (application) => html`${application} möchte in Ihrem Namen handeln.`,
    owner: 'Gehört zu',
    where: 'Reichweite',
    everywhere: 'Alle Organisationen',
    back: 'Führt zurück zu',
    gets: 'Wenn Sie zustimmen, kann sie',
    instance: 'alles tun, was Sie in der Verwaltung dieses Dienstes dürfen, in jeder Organisation',
    organization: (organization) =>
      html`in der Verwaltung von ${organization} tun, was Sie dort dürfen, und nichts in anderen
      Organisationen`,
    account: 'Ihr eigenes Konto sehen und ändern: Name, E-Mail-Adresse, Telefonnummer und Passwort',
    trust: (owner) =>
      html`Stimmen Sie nur zu, wenn Sie die Anwendung kennen und ${owner} vertrauen. Sie können das jederzeit
      zurücknehmen.`,
    allow: 'Zustimmen',
    busy: 'Einen Moment…',
    deny: 'Nicht zustimmen',
  },
  register: {
    title: 'Konto erstellen',
    loginNameHint: (domain) => html`Ihr Anmeldename endet dann auf ${domain}`,
    emailHint: 'An diese Adresse senden wir einen Code',
    submit: 'Konto erstellen',
    busy: 'Konto wird erstellt\u00a0…',
    failed: 'Ihr Konto ist noch nicht erstellt',
    haveAccount: 'Mit einem bestehenden Konto anmelden',
    problems: {
      'first-name-missing': {
        summary: 'Geben Sie Ihren Vornamen ein.',
        atField: 'Geben Sie Ihren Vornamen ein',
      },
      'first-name-too-long': {
        summary: 'Dieser Vorname ist zu lang. Geben Sie eine kürzere Form ein.',
        atField: 'Geben Sie eine kürzere Form Ihres Vornamens ein',
      },
      'first-name-not-valid': {
        summary:
          'Dieser Vorname enthält unsichtbare Zeichen oder solche, die die Schreibrichtung ändern. Geben Sie ihn neu ein.',
        atField: 'Geben Sie Ihren Vornamen neu ein, ohne ihn einzufügen',
      },
      'last-name-missing': {
        summary: 'Geben Sie Ihren Nachnamen ein.',
        atField: 'Geben Sie Ihren Nachnamen ein',
      },
      'last-name-too-long': {
        summary: 'Dieser Nachname ist zu lang. Geben Sie eine kürzere Form ein.',
        atField: 'Geben Sie eine kürzere Form Ihres Nachnamens ein',
      },
      'last-name-not-valid': {
        summary:
          'Dieser Nachname enthält unsichtbare Zeichen oder solche, die die Schreibrichtung ändern. Geben Sie ihn neu ein.',
        atField: 'Geben Sie Ihren Nachnamen neu ein, ohne ihn einzufügen',
      },
      'email-missing': {
        summary: 'Geben Sie Ihre E-Mail-Adresse ein.',
        atField: 'Geben Sie Ihre E-Mail-Adresse ein',
      },
      'email-not-valid': {
        summary: 'Das ist keine vollständige E-Mail-Adresse. Sie sieht aus wie name@example.com.',
        atField: 'Geben Sie eine vollständige E-Mail-Adresse ein',
      },
      'email-not-available': {
        summary:
          'Diese E-Mail-Adresse kann für ein neues Konto nicht verwendet werden. Nehmen Sie eine andere oder melden Sie sich an.',
        atField: 'Geben Sie eine andere E-Mail-Adresse ein',
      },
      'login-name-missing': {
        summary: 'Wählen Sie einen Anmeldenamen.',
        atField: 'Geben Sie einen Anmeldenamen ein',
      },
      'login-name-not-valid': {
        summary:
          'Dieser Anmeldename ist zu lang oder enthält Zeichen, die nicht erlaubt sind, zum Beispiel Leerzeichen.',
        atField: 'Geben Sie einen Anmeldenamen ohne Leerzeichen ein',
      },
      'login-name-not-available': {
        summary:
          'Dieser Anmeldename kann für ein neues Konto nicht verwendet werden. Wählen Sie einen anderen.',
        atField: 'Geben Sie einen anderen Anmeldenamen ein',
      },
    },
  },
  code: {
    hint: 'Aus der E-Mail, die wir Ihnen gesendet haben',
    newCode: 'Neuen Code senden',
    sendAgain: 'Erneut senden',
    sendAgainBusy: 'Wird gesendet\u00a0…',
    sendAgainIn: (time) => html`In ${time} können Sie sich einen neuen Code senden lassen`,
    sentAgain: 'Ein neuer Code ist unterwegs. Der vorherige gilt nicht mehr.',
    notArrived: 'Nichts angekommen? Sehen Sie auch im Spam-Ordner nach.',
    problems: {
      'code-missing': {
        summary: 'Geben Sie den Code aus der E-Mail ein.',
        atField: 'Geben Sie den Code ein',
      },
      'code-not-valid': {
        summary:
          'Dieser Code ist falsch oder nicht mehr gültig. Verwenden Sie den Code aus der neuesten E-Mail.',
        atField: 'Geben Sie den Code aus der neuesten E-Mail ein',
      },
    },
  },
  newPassword: {
    label: 'Neues Passwort',
    repeat: 'Neues Passwort wiederholen',
    rules: 'Ihr Passwort braucht:',
    minLength: (length) => `mindestens ${length} Zeichen`,
    upperCase: 'einen Großbuchstaben (A–Z)',
    lowerCase: 'einen Kleinbuchstaben (a–z)',
    number: 'eine Ziffer (0–9)',
    symbol: 'ein Sonderzeichen, etwa ! oder #',
    unmet: (rule) => `${rule} (fehlt)`,
    problems: {
      'password-missing': {
        summary: 'Wählen Sie ein neues Passwort.',
        atField: 'Geben Sie ein neues Passwort ein',
      },
      'password-too-weak': {
        summary: 'Wählen Sie ein Passwort, das alles auf der Liste hat.',
        atField: 'Wählen Sie ein anderes Passwort',
      },
      'password-too-long': {
        summary: 'Dieses Passwort ist zu lang. Wählen Sie ein kürzeres.',
        atField: 'Wählen Sie ein kürzeres Passwort',
      },
      'repeat-differs': {
        summary: 'Die beiden Passwörter sind verschieden. Geben Sie zweimal dasselbe Passwort ein.',
        atField: 'Geben Sie hier dasselbe Passwort ein',
      },
    },
  },
  setPassword: {
    title: 'Passwort festlegen',
    lead: (organization) => html`für Ihr Konto bei ${organization}`,
    submit: 'Passwort festlegen',
    busy: 'Passwort wird festgelegt\u00a0…',
    failed: 'Ihr Passwort ist noch nicht festgelegt',
  },
  forgottenPassword: {
    title: 'Passwort vergessen?',
    lead: 'Nennen Sie uns Ihren Anmeldenamen. Wir senden Ihnen per E-Mail einen Code, mit dem Sie ein neues Passwort wählen.',
    submit: 'Code senden',
    busy: 'Code wird gesendet\u00a0…',
    failed: 'Es wurde noch kein Code gesendet',
    backToSignIn: 'Zurück zur Anmeldung',
    problems: {
      'login-name-missing': {
        summary: 'Geben Sie Ihren Anmeldenamen oder Ihre E-Mail-Adresse ein.',
        atField: 'Geben Sie Ihren Anmeldenamen ein',
      },
    },
  },
  resetSent: {
    title: 'Prüfen Sie Ihr Postfach',
    body: (account) => html`Wenn es ein Konto für ${account} gibt, ist eine E-Mail mit einem Code unterwegs.`,
    bodyWithoutName: 'Wenn es dieses Konto gibt, ist eine E-Mail mit einem Code unterwegs.',
    enterCode: 'Code eingeben',
    otherName: 'Anderen Anmeldenamen verwenden',
  },
  resetPassword: {
    title: 'Neues Passwort wählen',
    lead: 'Geben Sie den Code ein, den wir Ihnen gesendet haben, und das Passwort, das von nun an gelten soll.',
  },
  changePassword: {
    title: 'Passwort ändern',
    reasons: {
      expired: 'Ihr Passwort ist abgelaufen. Wählen Sie ein neues, um fortzufahren.',
      required: 'Ersetzen Sie Ihr Passwort durch eines, das nur Sie kennen. Danach geht es weiter.',
      wanted: 'Danach melden Sie sich mit dem neuen Passwort an.',
    },
    currentPassword: 'Aktuelles Passwort',
    submit: 'Passwort ändern',
    busy: 'Passwort wird geändert\u00a0…',
    failed: 'Ihr Passwort ist noch nicht geändert',
    problems: {
      'current-missing': {
        summary: 'Geben Sie Ihr aktuelles Passwort ein.',
        atField: 'Geben Sie Ihr aktuelles Passwort ein',
      },
      'current-wrong': {
        summary: 'Das aktuelle Passwort ist falsch.',
        atField: 'Geben Sie Ihr aktuelles Passwort noch einmal ein',
      },
      'password-unchanged': {
        summary: 'Das neue Passwort ist dasselbe wie das jetzige. Wählen Sie ein anderes.',
        atField: 'Wählen Sie ein anderes Passwort',
      },
    },
  },
  passwordSet: {
    title: 'Ihr Passwort ist festgelegt',
    body: 'Ab jetzt melden Sie sich damit an.',
    bodyWithEmail: (address) =>
      html`Ab jetzt melden Sie sich damit an. Ihre E-Mail-Adresse ${address} ist damit auch bestätigt.`,
    signedOutElsewhere: 'Zur Sicherheit haben wir Sie überall sonst abgemeldet.',
  },
  verifyEmail: {
    title: 'E-Mail-Adresse bestätigen',
    sentTo: (address) => html`Geben Sie den Code ein, den wir an ${address} gesendet haben`,
    lead: 'Geben Sie den Code ein, den wir Ihnen gesendet haben',
    submit: 'Bestätigen',
    busy: 'Code wird geprüft\u00a0…',
    failed: 'Ihre E-Mail-Adresse ist noch nicht bestätigt',
    why: 'Bevor es weitergeht, müssen wir wissen, dass unsere E-Mails Sie erreichen.',
    later: 'Nicht jetzt',
  },
  emailVerified: {
    title: 'Ihre E-Mail-Adresse ist bestätigt',
    body: (address) => html`Vielen Dank. Wir wissen nun, dass wir Sie über ${address} erreichen.`,
    bodyWithoutAddress: 'Vielen Dank. Wir wissen nun, dass unsere E-Mails Sie erreichen.',
    closeWindow: 'Mehr ist nicht zu tun. Sie können diese Seite schließen.',
  },
  verifyPhone: {
    title: 'Telefonnummer bestätigen',
    sentTo: (number) => html`Geben Sie den Code ein, den wir an ${number} gesendet haben`,
    failed: 'Ihre Telefonnummer ist noch nicht bestätigt',
    problems: {
      'code-missing': { summary: 'Geben Sie den Code aus der SMS ein.', atField: 'Geben Sie den Code ein' },
      'code-not-valid': {
        summary:
          'Dieser Code ist falsch oder nicht mehr gültig. Verwenden Sie den Code aus der neuesten SMS.',
        atField: 'Geben Sie den Code aus der neuesten SMS ein',
      },
    },
    linkOver:
      'Verwenden Sie den Link aus der neuesten SMS. Wenn Ihre Nummer schon bestätigt ist, ist nichts mehr zu tun.',
  },
  phoneVerified: {
    title: 'Ihre Telefonnummer ist bestätigt',
    body: (number) => html`Vielen Dank. Wir wissen nun, dass wir Sie über ${number} erreichen.`,
  },
  signedIn: {
    title: 'Sie sind angemeldet',
    body: 'Auf dieser Seite ist nichts mehr zu tun.',
  },
  formPost: {
    title: 'Einen Moment',
    body: (application) =>
      html`Es geht zurück zu ${application}. Falls nichts geschieht, drücken Sie auf die Schaltfläche.`,
    bodyWithoutName:
      'Es geht zurück zur Anwendung. Falls nichts geschieht, drücken Sie auf die Schaltfläche.',
    submit: 'Weiter',
  },
  waysOn: {
    signIn: 'Anmelden',
    continueTo: (application) => html`Weiter zu ${application}`,
    beginAgain: 'Neu beginnen',
    signOut: 'Abmelden',
    otherAccount: 'Anderes Konto verwenden',
  },
  errors: {
    kinds: {
      request: {
        title: 'Die Anmeldung ist fehlgeschlagen',
        next: 'Gehen Sie zurück zur Anwendung und versuchen Sie es noch einmal. Wenn diese Seite wieder erscheint, senden Sie die Angaben unten an den Betreiber der Anwendung.',
      },
      'sign-out-request': {
        title: 'Die Abmeldung ist fehlgeschlagen',
        next: 'Möglicherweise sind Sie noch angemeldet. Gehen Sie zurück zur Anwendung und versuchen Sie es noch einmal, oder senden Sie die Angaben unten an den Betreiber der Anwendung.',
      },
      form: {
        title: 'Das Formular konnte nicht verarbeitet werden',
        next: 'Gehen Sie zurück zur vorherigen Seite und beginnen Sie noch einmal. Ihr Browser muss Cookies für diese Website zulassen.',
      },
      'registration-off': {
        title: 'Hier können Sie kein Konto erstellen',
        next: 'Wenn Sie ein Konto haben, gehen Sie zurück zur Anwendung und melden Sie sich damit an.',
      },
      'not-found': {
        title: 'Diese Seite gibt es nicht',
        next: 'Prüfen Sie die Adresse. Falls ein Link Sie hergeführt hat, ist er vielleicht veraltet.',
      },
      'too-many-requests': {
        title: 'Zu viele Versuche',
        next: 'Warten Sie ein paar Minuten und versuchen Sie es dann noch einmal.',
      },
      unavailable: {
        title: 'Wir sind gerade nicht erreichbar',
        next: 'Versuchen Sie es in einer Minute noch einmal. Ihre Eingaben wurden nicht gespeichert.',
      },
      server: {
        title: 'Bei uns ist etwas schiefgegangen',
        next: 'Versuchen Sie es in einer Minute noch einmal. Wenn der Fehler erneut auftritt, nennen Sie dem Support die Referenz unten.',
      },
    },
    requestNamed: (parameter) =>
      html`Die Anwendung hat uns eine Anfrage mit einem Fehler in ${parameter} gesendet. Sie haben nichts
      falsch gemacht.`,
    request: 'Die Anwendung hat uns eine fehlerhafte Anfrage gesendet. Sie haben nichts falsch gemacht.',
    form: 'Es wurde nicht von unserer Seite abgeschickt, oder die Seite war zu lange geöffnet.',
    registrationOff:
      'Die Organisation vergibt Konten selbst. Wenden Sie sich an den Betreiber der Anwendung.',
    notFound: 'Unter dieser Adresse gibt es nichts.',
    tooManyRequests: 'Aus Ihrem Netz kamen mehr Anfragen, als wir zulassen.',
    unavailable: 'Ein Teil dieses Dienstes wird gerade neu gestartet.',
    server: 'Sie haben nichts falsch gemacht.',
    waitSeconds: (seconds) =>
      seconds === 1
        ? 'Warten Sie eine Sekunde und versuchen Sie es dann noch einmal.'
        : `Warten Sie ${seconds} Sekunden und versuchen Sie es dann noch einmal.`,
    waitMinutes: (minutes) =>
      minutes === 1
        ? 'Warten Sie eine Minute und versuchen Sie es dann noch einmal.'
        : `Warten Sie ${minutes} Minuten und versuchen Sie es dann noch einmal.`,
    parameter: 'Parameter',
    reason: 'Grund',
    code: 'Fehlercode',
    reference: 'Referenz',
  },
  expired: {
    title: 'Diese Anmeldung ist abgelaufen',
    body: 'Sie war zu lange geöffnet oder ist schon abgeschlossen. Es wurde nichts geändert.',
    next: 'Sie können sofort neu beginnen.',
    nextWithoutLink: 'Gehen Sie zurück zur Anwendung und beginnen Sie noch einmal.',
  },
  linkOver: {
    title: 'Dieser Link ist nicht mehr gültig',
    body: 'Er wurde schon verwendet, ist zu alt oder wurde durch einen neueren ersetzt.',
    next: 'Verwenden Sie den Link aus der neuesten E-Mail. Wenn Sie schon fertig sind, melden Sie sich einfach an.',
  },
  registerElsewhere: {
    title: 'Machen Sie dort weiter, wo Sie begonnen haben',
    body: 'Sie können die Registrierung nur in dem Browser abschließen, in dem Sie sie begonnen haben. Gehen Sie dorthin zurück und geben Sie dort den Code aus der E-Mail ein.',
    over: 'Wenn Sie in diesem Browser begonnen haben, ist die Registrierung abgelaufen. Bitte beginnen Sie neu.',
    notYou: 'Wenn Sie kein Konto angefordert haben, brauchen Sie nichts zu tun. Es wird kein Konto erstellt.',
  },
  signedOut: {
    title: 'Sie sind abgemeldet',
    body: 'Dieser Browser ist hier nicht mehr angemeldet.',
    shared: 'Schließen Sie an einem gemeinsam genutzten Computer auch alle Browserfenster.',
  },
  signOut: {
    title: 'Abmelden?',
    body: (organization) =>
      html`Sie werden in diesem Browser bei ${organization} abgemeldet und ebenso bei den Anwendungen, die Sie
      damit geöffnet haben.`,
    submit: 'Abmelden',
    busy: 'Abmeldung läuft\u00a0…',
    stay: 'Angemeldet bleiben',
  },
  forbidden: {
    title: 'Diese Seite ist für Administratoren',
    body: 'Sie sind angemeldet, aber dieses Konto ist kein Administrator der Instanz.',
    next: 'Melden Sie sich mit einem solchen Konto an oder bitten Sie einen Administrator der Instanz um diese Rolle.',
  },
  home: {
    title: 'Anmeldedienst',
    body: (service) =>
      html`Anwendungen nutzen ${service}, um Personen anzumelden und zu prüfen, wer sie sind.`,
    forPeople: 'Meist bringt Sie eine Anwendung hierher und nach der Anmeldung wieder zurück.',
    signedInAs: (loginName) => html`Sie sind als ${loginName} angemeldet.`,
    forAdministrators: 'Für die Verwaltung',
    apiReference: 'API-Referenz',
    mailsWait:
      'E-Mails werden nicht zugestellt: Es ist kein Mailserver eingerichtet. Sie warten, bis SMTP_URL gesetzt oder ein Anbieter hinzugefügt ist.',
    discovery: 'Discovery-Dokument',
    keys: 'Öffentliche Signaturschlüssel',
    dashboard: 'Übersicht der Warteschlangen',
  },
};
