import { html } from '../../../domain/shared/html.js';
import type { Texts } from './texts.js';

export const it: Texts = {
  lang: 'it',
  languageName: 'Italiano',
  dir: 'ltr',
  layout: {
    title: (page, organization) => `${page} – ${organization}`,
    titleWithProblem: (page, organization) => `Errore: ${page} – ${organization}`,
    problem: 'Errore:',
    labelled: (label) => `${label}:`,
    language: 'Lingua',
    help: 'Assistenza',
    privacy: 'Privacy',
  },
  form: {
    loginName: 'Nome di accesso',
    loginNameHint: 'Il tuo nome utente o indirizzo e-mail',
    password: 'Password',
    code: 'Codice',
    familyNameFirst: false,
    firstName: 'Nome',
    lastName: 'Cognome',
    email: 'Indirizzo e-mail',
    showPassword: 'Mostra la password',
    hidePassword: 'Nascondi la password',
    show: 'Mostra',
    hide: 'Nascondi',
    account: 'Account',
    problems: {
      'too-many-attempts': {
        summary: 'I tentativi sono stati troppi. Attendi qualche minuto, poi riprova.',
        atField: 'Riprova tra qualche minuto',
      },
      'too-busy': {
        summary:
          'In questo momento ci sono troppi accessi in attesa. La tua password non è stata controllata. Riprova tra qualche secondo.',
        atField: 'Riprova tra qualche secondo',
      },
      'form-outdated': {
        summary: 'Questa pagina è rimasta aperta troppo a lungo e non è stato inviato nulla. Riprova.',
        atField: 'Inseriscilo di nuovo',
      },
    },
  },
  signIn: {
    title: 'Accedi',
    continueTo: (application) => html`per continuare su ${application}`,
    submit: 'Accedi',
    busy: 'Accesso in corso…',
    failed: 'Non hai ancora effettuato l’accesso',
    forgottenPassword: 'Password dimenticata?',
    createAccount: 'Crea un account',
    problems: {
      'wrong-credentials': {
        summary:
          'Il nome di accesso o la password non è corretto. Controlla entrambi oppure usa il tuo nome di accesso completo. Dopo diversi tentativi errati, attendi qualche minuto.',
        atField: 'Inserisci di nuovo la password',
      },
      'login-name-missing': {
        summary: 'Inserisci il tuo nome di accesso.',
        atField: 'Inserisci il tuo nome di accesso',
      },
      'password-missing': { summary: 'Inserisci la password.', atField: 'Inserisci la password' },
      'full-login-name-needed': {
        summary: 'Usa il tuo nome di accesso completo. Ha la forma nome@example.com.',
        atField: 'Inserisci il tuo nome di accesso completo',
      },
    },
  },
  chooseAccount: {
    title: 'Scegli un account',
    signedIn: 'Accesso effettuato',
    signedOut: 'Disconnesso',
    remove: (name) => `Rimuovi ${name} da questo elenco`,
    otherAccount: 'Accedi con un altro account',
  },
  consent: {
    title: 'Consentire a questa applicazione di agire per te?',
    lead: (application) => html`${application} vuole agire a tuo nome.`,
    owner: 'Appartiene a',
    where: 'Portata',
    everywhere: 'Tutte le organizzazioni',
    back: 'Torna a',
    gets: 'Se lo consenti, potrà',
    instance: 'fare tutto ciò che puoi fare nell’amministrazione di questo servizio, in ogni organizzazione',
    organization: (organization) =>
      html`fare ciò che puoi fare nell’amministrazione di ${organization}, e nulla in altre organizzazioni`,
    account: 'vedere e modificare il tuo account: nome, indirizzo e-mail, telefono e password',
    trust: (owner) =>
      html`Consenti solo se conosci l’applicazione e ti fidi di ${owner}. Puoi revocarlo in qualsiasi momento.`,
    allow: 'Consenti',
    busy: 'Un momento…',
    deny: 'Non consentire',
  },
  register: {
    title: 'Crea il tuo account',
    loginNameHint: (domain) => html`Il tuo nome di accesso terminerà con ${domain}`,
    emailHint: 'Invieremo un codice a questo indirizzo',
    submit: 'Crea account',
    busy: 'Creazione dell’account…',
    failed: 'Il tuo account non è ancora stato creato',
    haveAccount: 'Accedi con un account esistente',
    problems: {
      'first-name-missing': { summary: 'Inserisci il tuo nome.', atField: 'Inserisci il tuo nome' },
      'first-name-too-long': {
        summary: 'Questo nome è troppo lungo. Inserisci una forma più breve.',
        atField: 'Inserisci una forma più breve del tuo nome',
      },
      'first-name-not-valid': {
        summary:
          'Questo nome contiene caratteri invisibili o che cambiano la direzione della scrittura. Scrivilo di nuovo.',
        atField: 'Scrivi di nuovo il tuo nome, senza incollarlo',
      },
      'last-name-missing': { summary: 'Inserisci il tuo cognome.', atField: 'Inserisci il tuo cognome' },
      'last-name-too-long': {
        summary: 'Questo cognome è troppo lungo. Inserisci una forma più breve.',
        atField: 'Inserisci una forma più breve del tuo cognome',
      },
      'last-name-not-valid': {
        summary:
          'Questo cognome contiene caratteri invisibili o che cambiano la direzione della scrittura. Scrivilo di nuovo.',
        atField: 'Scrivi di nuovo il tuo cognome, senza incollarlo',
      },
      'email-missing': {
        summary: 'Inserisci il tuo indirizzo e-mail.',
        atField: 'Inserisci il tuo indirizzo e-mail',
      },
      'email-not-valid': {
        summary: 'Questo indirizzo e-mail non è completo. Deve avere la forma nome@example.com.',
        atField: 'Inserisci un indirizzo e-mail completo',
      },
      'email-not-available': {
        summary:
          'Questo indirizzo e-mail non può essere usato per un nuovo account. Usane un altro o accedi.',
        atField: 'Inserisci un altro indirizzo e-mail',
      },
      'login-name-missing': {
        summary: 'Scegli un nome di accesso.',
        atField: 'Inserisci un nome di accesso',
      },
      'login-name-not-valid': {
        summary:
          'Questo nome di accesso è troppo lungo o contiene caratteri non ammessi, ad esempio degli spazi.',
        atField: 'Inserisci un nome di accesso senza spazi',
      },
      'login-name-not-available': {
        summary: 'Questo nome di accesso non può essere usato per un nuovo account. Scegline un altro.',
        atField: 'Inserisci un altro nome di accesso',
      },
    },
  },
  code: {
    hint: 'Lo trovi nell’e-mail che ti abbiamo inviato',
    newCode: 'Invia un nuovo codice',
    sendAgain: 'Invia di nuovo',
    sendAgainBusy: 'Invio in corso…',
    sendAgainIn: (time) => html`Potrai richiedere un nuovo codice tra ${time}`,
    sentAgain: 'Un nuovo codice è in arrivo. Quello precedente non è più valido.',
    notArrived: 'Non è arrivato nulla? Controlla anche nella posta indesiderata.',
    problems: {
      'code-missing': {
        summary: 'Inserisci il codice ricevuto per e-mail.',
        atField: 'Inserisci il codice',
      },
      'code-not-valid': {
        summary: 'Questo codice è errato o non è più valido. Usa quello dell’e-mail più recente.',
        atField: 'Inserisci il codice dell’e-mail più recente',
      },
    },
  },
  newPassword: {
    label: 'Nuova password',
    repeat: 'Ripeti la nuova password',
    rules: 'La password deve contenere:',
    minLength: (length) => `almeno ${length} caratteri`,
    upperCase: 'una lettera maiuscola (A–Z)',
    lowerCase: 'una lettera minuscola (a–z)',
    number: 'un numero (0–9)',
    symbol: 'un simbolo, ad esempio ! o #',
    unmet: (rule) => `${rule} (manca)`,
    problems: {
      'password-missing': { summary: 'Scegli una nuova password.', atField: 'Inserisci una nuova password' },
      'password-too-weak': {
        summary: 'Scegli una password che soddisfi tutto l’elenco.',
        atField: 'Scegli un’altra password',
      },
      'password-too-long': {
        summary: 'Questa password è troppo lunga. Scegline una più corta.',
        atField: 'Scegli una password più corta',
      },
      'repeat-differs': {
        summary: 'Le due password sono diverse. Inserisci due volte la stessa password.',
        atField: 'Inserisci qui la stessa password',
      },
    },
  },
  setPassword: {
    title: 'Imposta la tua password',
    lead: (organization) => html`per il tuo account presso ${organization}`,
    submit: 'Imposta password',
    busy: 'Salvataggio…',
    failed: 'La tua password non è ancora impostata',
  },
  forgottenPassword: {
    title: 'Password dimenticata?',
    lead: 'Indica il tuo nome di accesso. Ti invieremo per e-mail un codice con cui scegliere una nuova password.',
    submit: 'Invia codice',
    busy: 'Invio del codice…',
    failed: 'Non è ancora stato inviato alcun codice',
    backToSignIn: 'Torna all’accesso',
    problems: {
      'login-name-missing': {
        summary: 'Inserisci il tuo nome di accesso o il tuo indirizzo e-mail.',
        atField: 'Inserisci il tuo nome di accesso',
      },
    },
  },
  resetSent: {
    title: 'Controlla la tua e-mail',
    body: (account) => html`Se esiste un account per ${account}, sta arrivando un’e-mail con un codice.`,
    bodyWithoutName: 'Se questo account esiste, sta arrivando un’e-mail con un codice.',
    enterCode: 'Inserisci il codice',
    otherName: 'Usa un altro nome di accesso',
  },
  resetPassword: {
    title: 'Scegli una nuova password',
    lead: 'Inserisci il codice che ti abbiamo inviato e la password che vuoi usare d’ora in poi.',
  },
  changePassword: {
    title: 'Cambia la tua password',
    reasons: {
      expired: 'La tua password è scaduta. Scegline una nuova per continuare.',
      required: 'Prima di continuare, sostituisci la password con una che conosci solo tu.',
      wanted: 'Da quel momento accederai con quella nuova.',
    },
    currentPassword: 'Password attuale',
    submit: 'Cambia password',
    busy: 'Salvataggio…',
    failed: 'La tua password non è ancora stata cambiata',
    problems: {
      'current-missing': {
        summary: 'Inserisci la password attuale.',
        atField: 'Inserisci la password attuale',
      },
      'current-wrong': {
        summary: 'La password attuale è errata.',
        atField: 'Inserisci di nuovo la password attuale',
      },
      'password-unchanged': {
        summary: 'La nuova password è uguale a quella attuale. Scegline un’altra.',
        atField: 'Scegli un’altra password',
      },
    },
  },
  passwordSet: {
    title: 'La tua password è impostata',
    body: 'D’ora in poi accederai con questa password.',
    bodyWithEmail: (address) =>
      html`D’ora in poi accederai con questa password. Anche il tuo indirizzo e-mail ${address} è ora
      verificato.`,
    signedOutElsewhere: 'Per sicurezza, ti abbiamo disconnesso da tutti gli altri dispositivi.',
  },
  verifyEmail: {
    title: 'Verifica il tuo indirizzo e-mail',
    sentTo: (address) => html`Inserisci il codice che abbiamo inviato a ${address}`,
    lead: 'Inserisci il codice che ti abbiamo inviato',
    submit: 'Verifica',
    busy: 'Verifica in corso…',
    failed: 'Il tuo indirizzo e-mail non è ancora verificato',
    why: 'Prima di continuare, dobbiamo sapere che le nostre e-mail ti raggiungono.',
    later: 'Non ora',
  },
  emailVerified: {
    title: 'Il tuo indirizzo e-mail è verificato',
    body: (address) => html`Grazie. Ora sappiamo che possiamo raggiungerti all’indirizzo ${address}.`,
    bodyWithoutAddress: 'Grazie. Ora sappiamo che le nostre e-mail ti raggiungono.',
    closeWindow: 'Non resta altro da fare. Puoi chiudere questa pagina.',
  },
  verifyPhone: {
    title: 'Verifica il tuo numero di telefono',
    sentTo: (number) => html`Inserisci il codice che abbiamo inviato al numero ${number}`,
    failed: 'Il tuo numero di telefono non è ancora verificato',
    problems: {
      'code-missing': { summary: 'Inserisci il codice ricevuto per SMS.', atField: 'Inserisci il codice' },
      'code-not-valid': {
        summary: 'Questo codice è errato o non è più valido. Usa quello dell’SMS più recente.',
        atField: 'Inserisci il codice dell’SMS più recente',
      },
    },
    linkOver: 'Usa il link dell’SMS più recente. Se il tuo numero è già verificato, non resta altro da fare.',
  },
  phoneVerified: {
    title: 'Il tuo numero di telefono è verificato',
    body: (number) => html`Grazie. Ora sappiamo che possiamo raggiungerti al numero ${number}.`,
  },
  signedIn: {
    title: 'Hai effettuato l’accesso',
    body: 'Su questa pagina non resta altro da fare.',
  },
  formPost: {
    title: 'Un momento',
    body: (application) => html`Stai tornando a ${application}. Se non succede nulla, premi il pulsante.`,
    bodyWithoutName: 'Stai tornando all’applicazione. Se non succede nulla, premi il pulsante.',
    submit: 'Continua',
  },
  waysOn: {
    signIn: 'Accedi',
    continueTo: (application) => html`Continua su ${application}`,
    beginAgain: 'Ricomincia',
    signOut: 'Esci',
    otherAccount: 'Usa un altro account',
  },
  errors: {
    kinds: {
      request: {
        title: 'Accesso non riuscito',
        next: 'Torna all’applicazione e riprova. Se questa pagina ricompare, invia i dettagli qui sotto ai responsabili dell’applicazione.',
      },
      'sign-out-request': {
        title: 'Disconnessione non riuscita',
        next: 'Forse la tua sessione è ancora aperta. Torna all’applicazione e riprova, oppure invia i dettagli qui sotto ai responsabili dell’applicazione.',
      },
      form: {
        title: 'Non è stato possibile elaborare questo modulo',
        next: 'Torna alla pagina precedente e ricomincia. Il browser deve consentire i cookie di questo sito.',
      },
      'registration-off': {
        title: 'Qui non puoi creare un account',
        next: 'Se hai già un account, torna all’applicazione e usalo per accedere.',
      },
      'not-found': {
        title: 'Questa pagina non esiste',
        next: 'Controlla l’indirizzo. Se hai seguito un link, potrebbe non essere più aggiornato.',
      },
      'too-many-requests': {
        title: 'Troppi tentativi',
        next: 'Attendi qualche minuto, poi riprova.',
      },
      unavailable: {
        title: 'Al momento il servizio non è disponibile',
        next: 'Riprova tra un minuto. Nulla di ciò che hai inserito è stato salvato.',
      },
      server: {
        title: 'Si è verificato un problema da parte nostra',
        next: 'Riprova tra un minuto. Se succede di nuovo, comunica all’assistenza il riferimento qui sotto.',
      },
    },
    requestNamed: (parameter) =>
      html`L’applicazione ci ha inviato una richiesta con un errore in ${parameter}. Non hai fatto nulla di
      sbagliato.`,
    request: 'L’applicazione ci ha inviato una richiesta con un errore. Non hai fatto nulla di sbagliato.',
    form: 'Non è stato inviato dalla nostra pagina, oppure la pagina è rimasta aperta troppo a lungo.',
    registrationOff:
      'Gli account vengono creati dall’organizzazione stessa. Rivolgiti ai responsabili dell’applicazione.',
    notFound: 'A questo indirizzo non c’è nulla.',
    tooManyRequests: 'Dalla tua rete sono arrivate più richieste di quante ne consentiamo.',
    unavailable: 'Una parte di questo servizio si sta riavviando.',
    server: 'Non hai fatto nulla di sbagliato.',
    waitSeconds: (seconds) =>
      seconds === 1 ? 'Attendi un secondo, poi riprova.' : `Attendi ${seconds} secondi, poi riprova.`,
    waitMinutes: (minutes) =>
      minutes === 1 ? 'Attendi un minuto, poi riprova.' : `Attendi ${minutes} minuti, poi riprova.`,
    parameter: 'Parametro',
    reason: 'Motivo',
    code: 'Codice di errore',
    reference: 'Riferimento',
  },
  expired: {
    title: 'Questo accesso è scaduto',
    body: 'È rimasto aperto troppo a lungo o è già terminato. Nulla è stato modificato.',
    next: 'Puoi ricominciare subito.',
    nextWithoutLink: 'Torna all’applicazione da cui sei arrivato e ricomincia.',
  },
  linkOver: {
    title: 'Questo link non è più valido',
    body: 'È già stato usato, è troppo vecchio oppure te ne abbiamo inviato uno più recente.',
    next: 'Usa il link dell’e-mail più recente. Se hai già fatto tutto, ti basta accedere.',
  },
  registerElsewhere: {
    title: 'Continua dove hai iniziato',
    body: 'Puoi completare la creazione dell’account solo nel browser in cui l’hai iniziata. Torna a quella pagina e inserisci il codice dell’e-mail.',
    over: 'Se hai iniziato in questo browser, la registrazione è scaduta. Ricomincia.',
    notYou: 'Se non hai richiesto un account, puoi ignorare l’e-mail. Non verrà creato alcun account.',
  },
  signedOut: {
    title: 'Sei uscito',
    body: 'In questo browser non hai più una sessione aperta.',
    shared: 'Su un computer condiviso, chiudi anche tutte le finestre del browser.',
  },
  signOut: {
    title: 'Vuoi uscire?',
    body: (organization) =>
      html`La tua sessione con ${organization} in questo browser verrà chiusa, insieme a quelle delle
      applicazioni che hai aperto con essa.`,
    submit: 'Esci',
    busy: 'Uscita in corso…',
    stay: 'Resta connesso',
  },
  forbidden: {
    title: 'Questa pagina è riservata agli amministratori',
    body: 'Hai effettuato l’accesso, ma questo account non è un amministratore dell’istanza.',
    next: 'Accedi con un account che lo è, oppure chiedi questo ruolo a un amministratore dell’istanza.',
  },
  home: {
    title: 'Servizio di accesso',
    body: (service) =>
      html`Alcune applicazioni usano ${service} per far accedere le persone e verificarne l’identità.`,
    forPeople: 'Di solito è un’applicazione a portarti qui e, dopo l’accesso, ti riporta indietro.',
    signedInAs: (loginName) => html`Hai effettuato l’accesso come ${loginName}.`,
    forAdministrators: 'Per amministratori',
    apiReference: 'Riferimento delle API',
    mailsWait:
      'Le e-mail non vengono inviate: nessun server di posta è configurato. Restano in attesa finché non si imposta SMTP_URL o si aggiunge un provider.',
    discovery: 'Documento di discovery',
    keys: 'Chiavi pubbliche di firma',
    dashboard: 'Pannello delle code',
  },
};
