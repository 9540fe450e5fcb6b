import { html } from '../../../domain/shared/html.js';
import type { Texts } from './texts.js';

export const nl: Texts = {
  lang: 'nl',
  languageName: 'Nederlands',
  dir: 'ltr',
  layout: {
    title: (page, organization) => `${page} – ${organization}`,
    titleWithProblem: (page, organization) => `Fout: ${page} – ${organization}`,
    problem: 'Fout:',
    labelled: (label) => `${label}:`,
    language: 'Taal',
    help: 'Hulp',
    privacy: 'Privacy',
  },
  form: {
    loginName: 'Inlognaam',
    loginNameHint: 'Uw gebruikersnaam of e-mailadres',
    password: 'Wachtwoord',
    code: 'Code',
    familyNameFirst: false,
    firstName: 'Voornaam',
    lastName: 'Achternaam',
    email: 'E-mailadres',
    showPassword: 'Wachtwoord tonen',
    hidePassword: 'Wachtwoord verbergen',
    show: 'Tonen',
    hide: 'Verbergen',
    account: 'Account',
    problems: {
      'too-many-attempts': {
        summary: 'Er zijn te veel pogingen gedaan. Wacht een paar minuten en probeer het dan opnieuw.',
        atField: 'Probeer het over een paar minuten opnieuw',
      },
      'too-busy': {
        summary:
          'Er wachten op dit moment te veel aanmeldingen. Uw wachtwoord is niet gecontroleerd. Probeer het over een paar seconden opnieuw.',
        atField: 'Probeer het over een paar seconden opnieuw',
      },
      'form-outdated': {
        summary: 'Deze pagina stond te lang open, daarom is er niets verzonden. Probeer het nog een keer.',
        atField: 'Voer dit opnieuw in',
      },
    },
  },
  signIn: {
    title: 'Inloggen',
    continueTo: (application) => html`om door te gaan naar ${application}`,
    submit: 'Inloggen',
    busy: 'Bezig met inloggen…',
    failed: 'U bent nog niet ingelogd',
    forgottenPassword: 'Wachtwoord vergeten?',
    createAccount: 'Account aanmaken',
    problems: {
      'wrong-credentials': {
        summary:
          'De inlognaam of het wachtwoord klopt niet. Controleer beide of gebruik uw volledige inlognaam. Wacht na meerdere foute pogingen een paar minuten.',
        atField: 'Voer uw wachtwoord opnieuw in',
      },
      'login-name-missing': { summary: 'Voer uw inlognaam in.', atField: 'Voer uw inlognaam in' },
      'password-missing': { summary: 'Voer uw wachtwoord in.', atField: 'Voer uw wachtwoord in' },
      'full-login-name-needed': {
        summary: 'Gebruik uw volledige inlognaam. Die ziet eruit als naam@example.com.',
        atField: 'Voer uw volledige inlognaam in',
      },
    },
  },
  chooseAccount: {
    title: 'Kies een account',
    signedIn: 'Ingelogd',
    signedOut: 'Uitgelogd',
    remove: (name) => `${name} uit deze lijst verwijderen`,
    otherAccount: 'Inloggen met een ander account',
  },
  consent: {
    title: 'Mag deze applicatie voor u handelen?',
    lead: (application) => html`${application} wil namens u handelen.`,
    owner: 'Hoort bij',
    where: 'Bereik',
    everywhere: 'Alle organisaties',
    back: 'Gaat terug naar',
    gets: 'Als u dit toestaat, kan ze',
    instance: 'alles doen wat u in het beheer van deze dienst mag, in elke organisatie',
    organization: (organization) =>
      html`in het beheer van ${organization} doen wat u daar mag, en niets in andere organisaties`,
    account: 'uw eigen account bekijken en wijzigen: naam, e-mailadres, telefoonnummer en wachtwoord',
    trust: (owner) =>
      html`Sta dit alleen toe als u de applicatie kent en ${owner} vertrouwt. U kunt dit altijd intrekken.`,
    allow: 'Toestaan',
    busy: 'Een ogenblik…',
    deny: 'Niet toestaan',
  },
  register: {
    title: 'Maak uw account aan',
    loginNameHint: (domain) => html`Uw inlognaam eindigt straks op ${domain}`,
    emailHint: 'Naar dit adres sturen we een code',
    submit: 'Account aanmaken',
    busy: 'Account wordt aangemaakt…',
    failed: 'Uw account is nog niet aangemaakt',
    haveAccount: 'Inloggen met een bestaand account',
    problems: {
      'first-name-missing': { summary: 'Voer uw voornaam in.', atField: 'Voer uw voornaam in' },
      'first-name-too-long': {
        summary: 'Deze voornaam is te lang. Voer een kortere vorm in.',
        atField: 'Voer een kortere vorm van uw voornaam in',
      },
      'first-name-not-valid': {
        summary:
          'Deze voornaam bevat tekens die niet te zien zijn of die de schrijfrichting veranderen. Typ hem opnieuw.',
        atField: 'Typ uw voornaam opnieuw, zonder te plakken',
      },
      'last-name-missing': { summary: 'Voer uw achternaam in.', atField: 'Voer uw achternaam in' },
      'last-name-too-long': {
        summary: 'Deze achternaam is te lang. Voer een kortere vorm in.',
        atField: 'Voer een kortere vorm van uw achternaam in',
      },
      'last-name-not-valid': {
        summary:
          'Deze achternaam bevat tekens die niet te zien zijn of die de schrijfrichting veranderen. Typ hem opnieuw.',
        atField: 'Typ uw achternaam opnieuw, zonder te plakken',
      },
      'email-missing': { summary: 'Voer uw e-mailadres in.', atField: 'Voer uw e-mailadres in' },
      'email-not-valid': {
        summary: 'Dit is geen volledig e-mailadres. Het ziet eruit als naam@example.com.',
        atField: 'Voer een volledig e-mailadres in',
      },
      'email-not-available': {
        summary:
          'Dit e-mailadres kan niet voor een nieuw account worden gebruikt. Gebruik een ander adres of log in.',
        atField: 'Voer een ander e-mailadres in',
      },
      'login-name-missing': { summary: 'Kies een inlognaam.', atField: 'Voer een inlognaam in' },
      'login-name-not-valid': {
        summary: 'Deze inlognaam is te lang of bevat tekens die niet zijn toegestaan, zoals spaties.',
        atField: 'Voer een inlognaam zonder spaties in',
      },
      'login-name-not-available': {
        summary: 'Deze inlognaam kan niet voor een nieuw account worden gebruikt. Kies een andere.',
        atField: 'Voer een andere inlognaam in',
      },
    },
  },
  code: {
    hint: 'Uit de e-mail die we u hebben gestuurd',
    newCode: 'Nieuwe code sturen',
    sendAgain: 'Opnieuw sturen',
    sendAgainBusy: 'Bezig met versturen…',
    sendAgainIn: (time) => html`Over ${time} kunt u een nieuwe code laten sturen`,
    sentAgain: 'Een nieuwe code is onderweg. De vorige werkt niet meer.',
    notArrived: 'Niets ontvangen? Kijk ook in uw map met ongewenste e-mail.',
    problems: {
      'code-missing': { summary: 'Voer de code uit de e-mail in.', atField: 'Voer de code in' },
      'code-not-valid': {
        summary: 'Deze code klopt niet of is niet meer geldig. Gebruik de code uit de nieuwste e-mail.',
        atField: 'Voer de code uit de nieuwste e-mail in',
      },
    },
  },
  newPassword: {
    label: 'Nieuw wachtwoord',
    repeat: 'Herhaal het nieuwe wachtwoord',
    rules: 'Uw wachtwoord moet bevatten:',
    minLength: (length) => `minstens ${length} tekens`,
    upperCase: 'een hoofdletter (A–Z)',
    lowerCase: 'een kleine letter (a–z)',
    number: 'een cijfer (0–9)',
    symbol: 'een symbool, zoals ! of #',
    unmet: (rule) => `${rule} (ontbreekt)`,
    problems: {
      'password-missing': { summary: 'Kies een nieuw wachtwoord.', atField: 'Voer een nieuw wachtwoord in' },
      'password-too-weak': {
        summary: 'Kies een wachtwoord dat aan de hele lijst voldoet.',
        atField: 'Kies een ander wachtwoord',
      },
      'password-too-long': {
        summary: 'Dit wachtwoord is te lang. Kies een korter wachtwoord.',
        atField: 'Kies een korter wachtwoord',
      },
      'repeat-differs': {
        summary: 'De twee wachtwoorden zijn verschillend. Voer twee keer hetzelfde wachtwoord in.',
        atField: 'Voer hier hetzelfde wachtwoord in',
      },
    },
  },
  setPassword: {
    title: 'Stel uw wachtwoord in',
    lead: (organization) => html`voor uw account bij ${organization}`,
    submit: 'Wachtwoord instellen',
    busy: 'Wachtwoord wordt ingesteld…',
    failed: 'Uw wachtwoord is nog niet ingesteld',
  },
  forgottenPassword: {
    title: 'Wachtwoord vergeten?',
    lead: 'Vul uw inlognaam in. We sturen u per e-mail een code waarmee u een nieuw wachtwoord kiest.',
    submit: 'Code sturen',
    busy: 'Code wordt verstuurd…',
    failed: 'Er is nog geen code verstuurd',
    backToSignIn: 'Terug naar inloggen',
    problems: {
      'login-name-missing': {
        summary: 'Voer uw inlognaam of uw e-mailadres in.',
        atField: 'Voer uw inlognaam in',
      },
    },
  },
  resetSent: {
    title: 'Bekijk uw e-mail',
    body: (account) =>
      html`Als er een account voor ${account} bestaat, is er een e-mail met een code onderweg.`,
    bodyWithoutName: 'Als dit account bestaat, is er een e-mail met een code onderweg.',
    enterCode: 'Code invoeren',
    otherName: 'Andere inlognaam gebruiken',
  },
  resetPassword: {
    title: 'Kies een nieuw wachtwoord',
    lead: 'Voer de code in die we u hebben gestuurd, en het wachtwoord dat u voortaan wilt gebruiken.',
  },
  changePassword: {
    title: 'Wijzig uw wachtwoord',
    reasons: {
      expired: 'Uw wachtwoord is verlopen. Kies een nieuw wachtwoord om door te gaan.',
      required: 'Vervang uw wachtwoord door een wachtwoord dat alleen u kent. Daarna kunt u verder.',
      wanted: 'Daarna logt u in met het nieuwe wachtwoord.',
    },
    currentPassword: 'Huidig wachtwoord',
    submit: 'Wachtwoord wijzigen',
    busy: 'Wachtwoord wordt gewijzigd…',
    failed: 'Uw wachtwoord is nog niet gewijzigd',
    problems: {
      'current-missing': {
        summary: 'Voer uw huidige wachtwoord in.',
        atField: 'Voer uw huidige wachtwoord in',
      },
      'current-wrong': {
        summary: 'Het huidige wachtwoord klopt niet.',
        atField: 'Voer uw huidige wachtwoord opnieuw in',
      },
      'password-unchanged': {
        summary: 'Het nieuwe wachtwoord is hetzelfde als het huidige. Kies een ander wachtwoord.',
        atField: 'Kies een ander wachtwoord',
      },
    },
  },
  passwordSet: {
    title: 'Uw wachtwoord is ingesteld',
    body: 'Voortaan logt u hiermee in.',
    bodyWithEmail: (address) =>
      html`Voortaan logt u hiermee in. Uw e-mailadres ${address} is nu ook bevestigd.`,
    signedOutElsewhere: 'Voor de zekerheid hebben we u overal elders uitgelogd.',
  },
  verifyEmail: {
    title: 'Bevestig uw e-mailadres',
    sentTo: (address) => html`Voer de code in die we naar ${address} hebben gestuurd`,
    lead: 'Voer de code in die we u hebben gestuurd',
    submit: 'Bevestigen',
    busy: 'Bezig met bevestigen…',
    failed: 'Uw e-mailadres is nog niet bevestigd',
    why: 'Voordat u verdergaat, moeten we weten dat onze e-mails u bereiken.',
    later: 'Niet nu',
  },
  emailVerified: {
    title: 'Uw e-mailadres is bevestigd',
    body: (address) => html`Dank u wel. We weten nu dat we u via ${address} kunnen bereiken.`,
    bodyWithoutAddress: 'Dank u wel. We weten nu dat onze e-mails u bereiken.',
    closeWindow: 'U hoeft verder niets te doen. U kunt deze pagina sluiten.',
  },
  verifyPhone: {
    title: 'Bevestig uw telefoonnummer',
    sentTo: (number) => html`Voer de code in die we naar ${number} hebben gestuurd`,
    failed: 'Uw telefoonnummer is nog niet bevestigd',
    problems: {
      'code-missing': { summary: 'Voer de code uit de sms in.', atField: 'Voer de code in' },
      'code-not-valid': {
        summary: 'Deze code klopt niet of is niet meer geldig. Gebruik de code uit de nieuwste sms.',
        atField: 'Voer de code uit de nieuwste sms in',
      },
    },
    linkOver:
      'Gebruik de link uit de nieuwste sms. Is uw nummer al bevestigd? Dan hoeft u niets meer te doen.',
  },
  phoneVerified: {
    title: 'Uw telefoonnummer is bevestigd',
    body: (number) => html`Dank u wel. We weten nu dat we u via ${number} kunnen bereiken.`,
  },
  signedIn: {
    title: 'U bent ingelogd',
    body: 'Op deze pagina hoeft u niets meer te doen.',
  },
  formPost: {
    title: 'Een ogenblik',
    body: (application) => html`U gaat terug naar ${application}. Gebeurt er niets? Druk dan op de knop.`,
    bodyWithoutName: 'U gaat terug naar de toepassing. Gebeurt er niets? Druk dan op de knop.',
    submit: 'Doorgaan',
  },
  waysOn: {
    signIn: 'Inloggen',
    continueTo: (application) => html`Doorgaan naar ${application}`,
    beginAgain: 'Opnieuw beginnen',
    signOut: 'Uitloggen',
    otherAccount: 'Ander account gebruiken',
  },
  errors: {
    kinds: {
      request: {
        title: 'Inloggen is niet gelukt',
        next: 'Ga terug naar de toepassing en probeer het opnieuw. Verschijnt deze pagina opnieuw? Stuur dan de gegevens hieronder naar de beheerders van de toepassing.',
      },
      'sign-out-request': {
        title: 'Uitloggen is niet gelukt',
        next: 'Mogelijk bent u nog ingelogd. Ga terug naar de toepassing en probeer het opnieuw, of stuur de gegevens hieronder naar de beheerders van de toepassing.',
      },
      form: {
        title: 'Dit formulier kon niet worden verwerkt',
        next: 'Ga terug naar de vorige pagina en begin opnieuw. Uw browser moet cookies voor deze website toestaan.',
      },
      'registration-off': {
        title: 'U kunt hier geen account aanmaken',
        next: 'Hebt u al een account? Ga dan terug naar de toepassing en log daarmee in.',
      },
      'not-found': {
        title: 'Deze pagina bestaat niet',
        next: 'Controleer het adres. Bent u hier via een link gekomen, dan is die misschien verouderd.',
      },
      'too-many-requests': {
        title: 'Te veel pogingen',
        next: 'Wacht een paar minuten en probeer het dan opnieuw.',
      },
      unavailable: {
        title: 'We zijn op dit moment niet bereikbaar',
        next: 'Probeer het over een minuut opnieuw. Uw invoer is niet opgeslagen.',
      },
      server: {
        title: 'Er is bij ons iets misgegaan',
        next: 'Probeer het over een minuut opnieuw. Gebeurt het weer? Geef de helpdesk dan de referentie hieronder.',
      },
    },
    requestNamed: (parameter) =>
      html`De toepassing heeft ons een verzoek gestuurd met een fout in ${parameter}. U hebt niets verkeerd
      gedaan.`,
    request: 'De toepassing heeft ons een verzoek met een fout gestuurd. U hebt niets verkeerd gedaan.',
    form: 'Het is niet vanaf onze pagina verzonden, of de pagina stond te lang open.',
    registrationOff:
      'De organisatie maakt de accounts zelf aan. Neem contact op met de beheerders van de toepassing.',
    notFound: 'Op dit adres is niets te vinden.',
    tooManyRequests: 'Er kwamen meer verzoeken van uw netwerk dan we toestaan.',
    unavailable: 'Een deel van deze dienst wordt opnieuw gestart.',
    server: 'U hebt niets verkeerd gedaan.',
    waitSeconds: (seconds) =>
      seconds === 1
        ? 'Wacht één seconde en probeer het dan opnieuw.'
        : `Wacht ${seconds} seconden en probeer het dan opnieuw.`,
    waitMinutes: (minutes) =>
      minutes === 1
        ? 'Wacht één minuut en probeer het dan opnieuw.'
        : `Wacht ${minutes} minuten en probeer het dan opnieuw.`,
    parameter: 'Parameter',
    reason: 'Reden',
    code: 'Foutcode',
    reference: 'Referentie',
  },
  expired: {
    title: 'Deze inlogpoging is verlopen',
    body: 'De pagina stond te lang open of het inloggen is al klaar. Er is niets gewijzigd.',
    next: 'U kunt meteen opnieuw beginnen.',
    nextWithoutLink: 'Ga terug naar de toepassing waar u vandaan kwam en begin opnieuw.',
  },
  linkOver: {
    title: 'Deze link is niet meer geldig',
    body: 'De link is al gebruikt, is te oud of is vervangen door een nieuwere.',
    next: 'Gebruik de link uit de nieuwste e-mail. Bent u al klaar? Log dan gewoon in.',
  },
  registerElsewhere: {
    title: 'Ga verder waar u bent begonnen',
    body: 'U kunt de registratie alleen afronden in de browser waarin u bent begonnen. Ga terug naar die pagina en voer daar de code uit de e-mail in.',
    over: 'Bent u in deze browser begonnen? Dan is de registratie verlopen. Begin opnieuw.',
    notYou:
      'Hebt u niet om een account gevraagd? Dan hoeft u niets te doen. Er wordt geen account aangemaakt.',
  },
  signedOut: {
    title: 'U bent uitgelogd',
    body: 'Deze browser is hier niet meer ingelogd.',
    shared: 'Sluit op een gedeelde computer ook alle browservensters.',
  },
  signOut: {
    title: 'Uitloggen?',
    body: (organization) =>
      html`U wordt in deze browser uitgelogd bij ${organization} en bij de toepassingen die u daarmee hebt
      geopend.`,
    submit: 'Uitloggen',
    busy: 'Bezig met uitloggen…',
    stay: 'Ingelogd blijven',
  },
  forbidden: {
    title: 'Deze pagina is voor beheerders',
    body: 'U bent ingelogd, maar dit account is geen beheerder van de instantie.',
    next: 'Log in met een account dat dat wel is, of vraag een beheerder van de instantie om die rol.',
  },
  home: {
    title: 'Inlogdienst',
    body: (service) =>
      html`Toepassingen gebruiken ${service} om mensen te laten inloggen en te controleren wie ze zijn.`,
    forPeople: 'Meestal brengt een toepassing u hierheen, en na het inloggen weer terug.',
    signedInAs: (loginName) => html`U bent ingelogd als ${loginName}.`,
    forAdministrators: 'Voor beheerders',
    apiReference: 'API-referentie',
    mailsWait:
      'E-mails worden niet verzonden: er is geen mailserver ingesteld. Ze wachten tot SMTP_URL is ingesteld of een provider is toegevoegd.',
    discovery: 'Discovery-document',
    keys: 'Openbare ondertekeningssleutels',
    dashboard: 'Overzicht van de wachtrijen',
  },
};
