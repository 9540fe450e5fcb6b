import type { MailTexts } from './mail-texts.js';

export const pl: MailTexts = {
  lang: 'pl',
  dates: 'pl-PL',
  dir: 'ltr',
  moment: (day, time) => `${day}, ${time}`,
  labelled: (label) => `${label}:`,
  greeting: (name) => `Dzień dobry, ${name}!`,
  greetingWithoutName: 'Dzień dobry!',
  loginName: 'Twoja nazwa logowania',
  linkInstead: 'Jeśli przycisk nie działa, skopiuj ten adres do przeglądarki:',
  code: 'Jeśli strona poprosi o kod, wpisz ten:',
  validUntil: (moment) => `Link i kod są ważne do: ${moment}. Można ich użyć tylko raz.`,
  neverShare: 'Nikt z nas nigdy nie poprosi Cię o ten kod.',
  sms: (organization, code) => `Kod dla ${organization}: ${code}. Nikomu go nie podawaj.`,
  init: {
    subject: (organization) => `Ustaw hasło do konta w ${organization}`,
    preview: (organization) => `Twoje konto w ${organization} jest gotowe, brakuje tylko hasła.`,
    heading: 'Ustaw hasło',
    paragraphs: (organization) => [
      `W ${organization} utworzono dla Ciebie konto. Wybierz hasło, aby z niego korzystać.`,
      'W ten sposób potwierdzisz też, że ten adres e-mail należy do Ciebie.',
    ],
    button: 'Ustaw hasło',
    why: (organization) =>
      `Otrzymujesz tę wiadomość, ponieważ w ${organization} podano ten adres przy tworzeniu nowego konta. Jeśli nie spodziewasz się konta, nie rób nic: bez hasła nikt się na nie nie zaloguje.`,
  },
  verifyEmail: {
    subject: (organization) => `Potwierdź adres e-mail do konta w ${organization}`,
    preview: (organization) =>
      `Jeden krok, dzięki któremu ${organization} będzie wiedzieć, że to Twój adres.`,
    heading: 'Potwierdź adres e-mail',
    paragraphs: (organization) => [
      `Potwierdź, że ten adres e-mail należy do Twojego konta w ${organization}.`,
    ],
    button: 'Potwierdź adres e-mail',
    why: (organization) =>
      `Otrzymujesz tę wiadomość, ponieważ ten adres podano przy koncie w ${organization}. Jeśli to nie Twoje konto, nie rób nic: adres pozostanie niepotwierdzony.`,
  },
  passwordReset: {
    subject: (organization) => `Wybierz nowe hasło do konta w ${organization}`,
    preview: (organization) => `Dzięki temu kodowi odzyskasz dostęp do konta w ${organization}.`,
    heading: 'Wybierz nowe hasło',
    paragraphs: (organization) => [
      `Otrzymaliśmy informację, że nie pamiętasz hasła do swojego konta w ${organization}. Tutaj możesz wybrać nowe.`,
    ],
    button: 'Wybierz nowe hasło',
    why: (organization) =>
      `Otrzymujesz tę wiadomość, ponieważ na stronie odzyskiwania hasła w ${organization} wpisano Twoją nazwę logowania. Jeśli to nie Ty, nie rób nic: Twoje hasło się nie zmieni.`,
  },
  passwordChanged: {
    subject: (organization) => `Hasło do Twojego konta w ${organization} zostało zmienione`,
    preview: () => 'Jeśli to Twoja zmiana, nie musisz nic robić.',
    heading: 'Twoje hasło zostało zmienione',
    paragraphs: (organization, moment) => [
      `Hasło do Twojego konta w ${organization} zostało zmienione (${moment}).`,
      'Jeśli to Twoja zmiana, nie musisz nic robić.',
    ],
    signedOutElsewhere: 'Konto zostało wylogowane wszędzie indziej.',
    notYou: 'Jeśli to nie Ty, od razu wybierz nowe hasło:',
    notYouWithoutLink: (organization) =>
      `Jeśli to nie Ty, od razu powiadom opiekunów kont w ${organization}.`,
    button: 'Wybierz nowe hasło',
    why: (organization) =>
      `Otrzymujesz tę wiadomość, ponieważ to adres Twojego konta w ${organization}. Zawsze powiadamiamy o zmianie hasła.`,
  },
  emailChanged: {
    subject: (organization) => `Adres e-mail Twojego konta w ${organization} zmienia się`,
    preview: () => 'Jeśli to Twoja zmiana, nie musisz nic robić.',
    heading: 'Adres e-mail Twojego konta zmienia się',
    paragraphs: (organization, moment) => [
      `Do Twojego konta w ${organization} wpisano nowy adres e-mail (${moment}). Po potwierdzeniu zastąpi on obecny.`,
      'Jeśli to Twoja zmiana, nie musisz nic robić.',
    ],
    signedOutElsewhere: 'Konto zostało wylogowane wszędzie indziej.',
    notYou: 'Jeśli to nie Ty, od razu wybierz nowe hasło:',
    notYouWithoutLink: (organization) =>
      `Jeśli to nie Ty, od razu powiadom opiekunów kont w ${organization}.`,
    button: 'Wybierz nowe hasło',
    why: (organization) =>
      `Otrzymujesz tę wiadomość, ponieważ to dotychczasowy adres Twojego konta w ${organization}. Zawsze powiadamiamy o jego zmianie.`,
  },
  register: {
    subject: (organization) => `Dokończ zakładanie konta w ${organization}`,
    preview: (organization) => `Z tym kodem Twoje konto w ${organization} będzie gotowe.`,
    heading: 'Dokończ zakładanie konta',
    paragraphs: (organization) => [
      `Potwierdź, że ten adres e-mail należy do Ciebie. Dzięki temu Twoje konto w ${organization} będzie gotowe.`,
      'Dokończ w przeglądarce, w której się to zaczęło: otwórz w niej link albo wpisz w niej kod. W innej przeglądarce nie jest to możliwe.',
    ],
    button: 'Dokończ zakładanie konta',
    why: (organization) =>
      `Otrzymujesz tę wiadomość, ponieważ ktoś podał ten adres przy zakładaniu nowego konta w ${organization}. Jeśli to nie Ty, zignoruj tę wiadomość: konto nie powstanie.`,
  },
  accountExists: {
    subject: (organization) => `Masz już konto w ${organization}`,
    preview: () => 'Zaloguj się na nie, nic się nie zmieniło.',
    heading: 'Masz już konto',
    paragraphs: (organization, moment) => [
      `${moment} ktoś podał ten adres e-mail przy zakładaniu nowego konta w ${organization}. Konto z tym adresem już istnieje, więc drugie nie powstało.`,
      'Jeśli to Ty, zaloguj się na konto, które już masz.',
    ],
    button: 'Zaloguj się',
    forgotten: 'Nie pamiętasz hasła? Tutaj wybierzesz nowe:',
    why: (organization) =>
      `Otrzymujesz tę wiadomość, ponieważ to adres Twojego konta w ${organization}. Jeśli to nie Ty, nie rób nic: nic się nie zmieniło.`,
  },
  resetChoice: {
    subject: () => 'Wybierz konto, dla którego ustawisz nowe hasło',
    preview: () => 'Ten adres ma kilka kont, nic się nie zmieniło.',
    heading: 'O które konto chodzi?',
    paragraphs: (moment) => [
      `${moment} ktoś podał ten adres e-mail na stronie zapomnianego hasła. Może on oznaczać więcej niż jedno konto, więc nic się nie zmieniło i nie wysłano żadnego kodu.`,
      'Jeśli to Ty, wpisz na tej stronie pełną nazwę logowania wybranego konta. Te konta mają ten adres:',
    ],
    needsNewPassword: 'Po podaniu pełnej nazwy logowania otrzymasz kod do ustawienia nowego hasła.',
    needsFirstPassword:
      'Nie ma jeszcze hasła. Po podaniu pełnej nazwy logowania otrzymasz kod do ustawienia pierwszego.',
    button: 'Ustaw nowe hasło',
    why: (organization) =>
      `Otrzymujesz tę wiadomość, ponieważ to adres tych kont, jednego z nich w ${organization}. Jeśli to nie Ty, nie rób nic: Twoje hasła pozostają bez zmian.`,
  },
};
