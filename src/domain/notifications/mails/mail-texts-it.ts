import type { MailTexts } from './mail-texts.js';

export const it: MailTexts = {
  lang: 'it',
  dates: 'it-IT',
  dir: 'ltr',
  moment: (day, time) => `${day} alle ${time}`,
  labelled: (label) => `${label}:`,
  greeting: (name) => `Ciao ${name},`,
  greetingWithoutName: 'Ciao,',
  loginName: 'Il tuo nome di accesso',
  linkInstead: 'Se il pulsante non funziona, copia questo indirizzo nel browser:',
  code: 'Se la pagina chiede un codice, inserisci questo:',
  validUntil: (moment) =>
    `Il link e il codice sono validi fino al ${moment} e si possono usare una sola volta.`,
  neverShare: 'Nessuno di noi ti chiederà mai il codice.',
  sms: (organization, code) => `Il tuo codice per ${organization}: ${code}. Non darlo a nessuno.`,
  init: {
    subject: (organization) => `Imposta la tua password per ${organization}`,
    preview: (organization) => `Il tuo account presso ${organization} è pronto: manca solo una password.`,
    heading: 'Imposta la tua password',
    paragraphs: (organization) => [
      `È stato creato un account per te presso ${organization}. Scegli una password per usarlo.`,
      'In questo modo confermi anche che questo indirizzo e-mail è tuo.',
    ],
    button: 'Imposta la password',
    why: (organization) =>
      `Ricevi questa e-mail perché ${organization} ha indicato questo indirizzo per un nuovo account. Se non ne aspetti uno, non fare nulla: senza password nessuno può accedere all’account.`,
  },
  verifyEmail: {
    subject: (organization) => `Verifica il tuo indirizzo e-mail per ${organization}`,
    preview: (organization) => `Un solo passo, così ${organization} sa che questo indirizzo è tuo.`,
    heading: 'Verifica il tuo indirizzo e-mail',
    paragraphs: (organization) => [
      `Conferma che questo indirizzo e-mail appartiene al tuo account presso ${organization}.`,
    ],
    button: 'Verifica l’indirizzo e-mail',
    why: (organization) =>
      `Ricevi questa e-mail perché questo indirizzo è stato indicato per un account presso ${organization}. Se l’account non è tuo, non fare nulla: l’indirizzo resterà non verificato.`,
  },
  passwordReset: {
    subject: (organization) => `Scegli una nuova password per ${organization}`,
    preview: (organization) => `Con questo codice puoi rientrare nel tuo account presso ${organization}.`,
    heading: 'Scegli una nuova password',
    paragraphs: (organization) => [
      `Ci hai comunicato di aver dimenticato la password del tuo account presso ${organization}. Qui puoi sceglierne una nuova.`,
    ],
    button: 'Scegli una nuova password',
    why: (organization) =>
      `Ricevi questa e-mail perché qualcuno ha inserito il tuo nome di accesso nella pagina delle password dimenticate di ${organization}. Se non sei stato tu, non fare nulla: la tua password resta com’è.`,
  },
  passwordChanged: {
    subject: (organization) => `La tua password per ${organization} è stata cambiata`,
    preview: () => 'Se sei stato tu, non devi fare nulla.',
    heading: 'La tua password è stata cambiata',
    paragraphs: (organization, moment) => [
      `La password del tuo account presso ${organization} è stata cambiata il ${moment}.`,
      'Se sei stato tu, non devi fare nulla.',
    ],
    signedOutElsewhere: 'L’account è stato disconnesso da tutti gli altri dispositivi.',
    notYou: 'Se non sei stato tu, scegli subito una nuova password:',
    notYouWithoutLink: (organization) =>
      `Se non sei stato tu, avvisa subito chi gestisce gli account di ${organization}.`,
    button: 'Scegli una nuova password',
    why: (organization) =>
      `Ricevi questa e-mail perché questo è l’indirizzo del tuo account presso ${organization}. Ti avvisiamo sempre quando la tua password cambia.`,
  },
  emailChanged: {
    subject: (organization) => `L’indirizzo e-mail del tuo account presso ${organization} sta per cambiare`,
    preview: () => 'Se sei stato tu, non devi fare nulla.',
    heading: 'L’indirizzo e-mail del tuo account sta per cambiare',
    paragraphs: (organization, moment) => [
      `Il ${moment} è stato inserito un nuovo indirizzo e-mail per il tuo account presso ${organization}. Una volta confermato, prenderà il posto di questo.`,
      'Se sei stato tu, non devi fare nulla.',
    ],
    signedOutElsewhere: 'L’account è stato disconnesso da tutti gli altri dispositivi.',
    notYou: 'Se non sei stato tu, scegli subito una nuova password:',
    notYouWithoutLink: (organization) =>
      `Se non sei stato tu, avvisa subito chi gestisce gli account di ${organization}.`,
    button: 'Scegli una nuova password',
    why: (organization) =>
      `Ricevi questa e-mail perché finora questo è l’indirizzo del tuo account presso ${organization}. Ti avvisiamo sempre quando cambia.`,
  },
  register: {
    subject: (organization) => `Completa la creazione del tuo account presso ${organization}`,
    preview: (organization) => `Con questo codice il tuo account presso ${organization} è pronto.`,
    heading: 'Completa la creazione dell’account',
    paragraphs: (organization) => [
      `Conferma che questo indirizzo e-mail è tuo. Il tuo account presso ${organization} sarà così pronto.`,
      'Continua nel browser in cui hai iniziato: apri lì il link o inserisci lì il codice. In un altro browser non è possibile.',
    ],
    button: 'Completa la creazione',
    why: (organization) =>
      `Ricevi questa e-mail perché qualcuno ha indicato questo indirizzo per un nuovo account presso ${organization}. Se non sei stato tu, ignora questa e-mail: non viene creato alcun account.`,
  },
  accountExists: {
    subject: (organization) => `Hai già un account presso ${organization}`,
    preview: () => 'Accedi con quello: non è cambiato nulla.',
    heading: 'Hai già un account',
    paragraphs: (organization, moment) => [
      `In data ${moment} qualcuno ha indicato questo indirizzo e-mail per un nuovo account presso ${organization}. Ne esiste già uno con questo indirizzo, quindi non ne è stato creato un altro.`,
      'Se sei stato tu, accedi con l’account che hai già.',
    ],
    button: 'Accedi',
    forgotten: 'Hai dimenticato la password? Scegline una nuova qui:',
    why: (organization) =>
      `Ricevi questa e-mail perché questo è l’indirizzo del tuo account presso ${organization}. Se non sei stato tu, non fare nulla: non è cambiato nulla.`,
  },
  resetChoice: {
    subject: () => 'Scegli l’account per la nuova password',
    preview: () => 'Più account hanno questo indirizzo: non è cambiato nulla.',
    heading: 'Quale account intendi?',
    paragraphs: (moment) => [
      `In data ${moment} qualcuno ha indicato questo indirizzo e-mail nella pagina delle password dimenticate. Può riferirsi a più di un account, quindi non è cambiato nulla e non è stato inviato alcun codice.`,
      'Se sei stato tu, inserisci in quella pagina il nome utente completo dell’account che intendi. Questi account hanno questo indirizzo:',
    ],
    needsNewPassword: 'Con il suo nome utente completo ricevi un codice per una nuova password.',
    needsFirstPassword:
      'Non ha ancora una password. Con il suo nome utente completo ricevi un codice per la prima.',
    button: 'Scegli una nuova password',
    why: (organization) =>
      `Ricevi questa e-mail perché questo è l’indirizzo di questi account, uno dei quali presso ${organization}. Se non sei stato tu, non fare nulla: le tue password restano come sono.`,
  },
};
