import { html } from '../../../domain/shared/html.js';
import type { Texts } from './texts.js';

export const pl: Texts = {
  lang: 'pl',
  languageName: 'Polski',
  dir: 'ltr',
  layout: {
    title: (page, organization) => `${page} – ${organization}`,
    titleWithProblem: (page, organization) => `Błąd: ${page} – ${organization}`,
    problem: 'Błąd:',
    labelled: (label) => `${label}:`,
    language: 'Język',
    help: 'Pomoc',
    privacy: 'Prywatność',
  },
  form: {
    loginName: 'Nazwa logowania',
    loginNameHint: 'Twoja nazwa użytkownika lub adres e-mail',
    password: 'Hasło',
    code: 'Kod',
    familyNameFirst: false,
    firstName: 'Imię',
    lastName: 'Nazwisko',
    email: 'Adres e-mail',
    showPassword: 'Pokaż hasło',
    hidePassword: 'Ukryj hasło',
    show: 'Pokaż',
    hide: 'Ukryj',
    account: 'Konto',
    problems: {
      'too-many-attempts': {
        summary: 'Było zbyt wiele prób. Odczekaj kilka minut i spróbuj ponownie.',
        atField: 'Spróbuj ponownie za kilka minut',
      },
      'too-busy': {
        summary:
          'W tej chwili czeka zbyt wiele logowań. Hasło nie zostało sprawdzone. Spróbuj ponownie za kilka sekund.',
        atField: 'Spróbuj ponownie za kilka sekund',
      },
      'form-outdated': {
        summary: 'Ta strona była otwarta zbyt długo, więc nic nie zostało wysłane. Spróbuj jeszcze raz.',
        atField: 'Wpisz to jeszcze raz',
      },
    },
  },
  signIn: {
    title: 'Zaloguj się',
    continueTo: (application) => html`aby przejść do ${application}`,
    submit: 'Zaloguj się',
    busy: 'Logowanie…',
    failed: 'Nie udało się jeszcze zalogować',
    forgottenPassword: 'Nie pamiętasz hasła?',
    createAccount: 'Utwórz konto',
    problems: {
      'wrong-credentials': {
        summary:
          'Nazwa logowania lub hasło są nieprawidłowe. Sprawdź jedno i drugie albo użyj pełnej nazwy logowania. Po kilku błędnych próbach odczekaj kilka minut.',
        atField: 'Wpisz hasło jeszcze raz',
      },
      'login-name-missing': { summary: 'Wpisz nazwę logowania.', atField: 'Wpisz nazwę logowania' },
      'password-missing': { summary: 'Wpisz hasło.', atField: 'Wpisz hasło' },
      'full-login-name-needed': {
        summary: 'Użyj pełnej nazwy logowania. Wygląda ona tak: nazwa@example.com.',
        atField: 'Wpisz pełną nazwę logowania',
      },
    },
  },
  chooseAccount: {
    title: 'Wybierz konto',
    signedIn: 'Zalogowane',
    signedOut: 'Wylogowane',
    remove: (name) => `Usuń ${name} z tej listy`,
    otherAccount: 'Zaloguj się na inne konto',
  },
  consent: {
    title: 'Czy ta aplikacja może działać za Ciebie?',
    lead: (application) => html`${application} chce działać w Twoim imieniu.`,
    owner: 'Należy do',
    where: 'Zasięg',
    everywhere: 'Wszystkie organizacje',
    back: 'Powrót do',
    gets: 'Jeśli zezwolisz, będzie mogła',
    instance: 'robić wszystko, co Tobie wolno w administracji tej usługi, w każdej organizacji',
    organization: (organization) =>
      html`robić to, co Tobie wolno w administracji ${organization}, i nic w innych organizacjach`,
    account: 'przeglądać i zmieniać Twoje konto: imię i nazwisko, adres e-mail, numer telefonu i hasło',
    trust: (owner) =>
      html`Zezwól tylko wtedy, gdy znasz aplikację i ufasz ${owner}. Zgodę możesz wycofać w każdej chwili.`,
    allow: 'Zezwól',
    busy: 'Chwileczkę…',
    deny: 'Nie zezwalaj',
  },
  register: {
    title: 'Utwórz konto',
    loginNameHint: (domain) => html`Twoja nazwa logowania będzie się kończyć na ${domain}`,
    emailHint: 'Na ten adres wyślemy kod',
    submit: 'Utwórz konto',
    busy: 'Tworzenie konta…',
    failed: 'Konto nie zostało jeszcze utworzone',
    haveAccount: 'Zaloguj się na istniejące konto',
    problems: {
      'first-name-missing': { summary: 'Wpisz imię.', atField: 'Wpisz imię' },
      'first-name-too-long': {
        summary: 'To imię jest zbyt długie. Wpisz jego krótszą formę.',
        atField: 'Wpisz krótszą formę imienia',
      },
      'first-name-not-valid': {
        summary: 'To imię zawiera znaki niewidoczne lub zmieniające kierunek pisma. Wpisz je jeszcze raz.',
        atField: 'Wpisz imię jeszcze raz, bez wklejania',
      },
      'last-name-missing': { summary: 'Wpisz nazwisko.', atField: 'Wpisz nazwisko' },
      'last-name-too-long': {
        summary: 'To nazwisko jest zbyt długie. Wpisz jego krótszą formę.',
        atField: 'Wpisz krótszą formę nazwiska',
      },
      'last-name-not-valid': {
        summary:
          'To nazwisko zawiera znaki niewidoczne lub zmieniające kierunek pisma. Wpisz je jeszcze raz.',
        atField: 'Wpisz nazwisko jeszcze raz, bez wklejania',
      },
      'email-missing': { summary: 'Wpisz adres e-mail.', atField: 'Wpisz adres e-mail' },
      'email-not-valid': {
        summary: 'Ten adres e-mail jest niepełny. Powinien wyglądać tak: nazwa@example.com.',
        atField: 'Wpisz pełny adres e-mail',
      },
      'email-not-available': {
        summary: 'Tego adresu e-mail nie można użyć do nowego konta. Użyj innego albo się zaloguj.',
        atField: 'Wpisz inny adres e-mail',
      },
      'login-name-missing': { summary: 'Wybierz nazwę logowania.', atField: 'Wpisz nazwę logowania' },
      'login-name-not-valid': {
        summary: 'Ta nazwa logowania jest zbyt długa lub zawiera niedozwolone znaki, na przykład spacje.',
        atField: 'Wpisz nazwę logowania bez spacji',
      },
      'login-name-not-available': {
        summary: 'Tej nazwy logowania nie można użyć do nowego konta. Wybierz inną.',
        atField: 'Wpisz inną nazwę logowania',
      },
    },
  },
  code: {
    hint: 'Z wiadomości e-mail, którą wysłaliśmy',
    newCode: 'Wyślij nowy kod',
    sendAgain: 'Wyślij ponownie',
    sendAgainBusy: 'Wysyłanie…',
    sendAgainIn: (time) => html`Nowy kod będzie można wysłać za ${time}`,
    sentAgain: 'Nowy kod jest w drodze. Poprzedni już nie działa.',
    notArrived: 'Nic nie przyszło? Sprawdź też folder ze spamem.',
    problems: {
      'code-missing': { summary: 'Wpisz kod z wiadomości e-mail.', atField: 'Wpisz kod' },
      'code-not-valid': {
        summary: 'Ten kod jest nieprawidłowy lub już nieważny. Użyj kodu z najnowszej wiadomości e-mail.',
        atField: 'Wpisz kod z najnowszej wiadomości e-mail',
      },
    },
  },
  newPassword: {
    label: 'Nowe hasło',
    repeat: 'Powtórz nowe hasło',
    rules: 'Hasło musi zawierać:',
    minLength: (length) => `co najmniej ${length} ${characters(length)}`,
    upperCase: 'wielką literę (A–Z)',
    lowerCase: 'małą literę (a–z)',
    number: 'cyfrę (0–9)',
    symbol: 'symbol, na przykład ! lub #',
    unmet: (rule) => `${rule} (brakuje)`,
    problems: {
      'password-missing': { summary: 'Wybierz nowe hasło.', atField: 'Wpisz nowe hasło' },
      'password-too-weak': {
        summary: 'Wybierz hasło, które spełnia wszystkie wymagania z listy.',
        atField: 'Wybierz inne hasło',
      },
      'password-too-long': {
        summary: 'To hasło jest zbyt długie. Wybierz krótsze.',
        atField: 'Wybierz krótsze hasło',
      },
      'repeat-differs': {
        summary: 'Hasła różnią się od siebie. Wpisz dwa razy to samo hasło.',
        atField: 'Wpisz tutaj to samo hasło',
      },
    },
  },
  setPassword: {
    title: 'Ustaw hasło',
    lead: (organization) => html`do Twojego konta w ${organization}`,
    submit: 'Ustaw hasło',
    busy: 'Zapisywanie…',
    failed: 'Hasło nie zostało jeszcze ustawione',
  },
  forgottenPassword: {
    title: 'Nie pamiętasz hasła?',
    lead: 'Podaj nazwę logowania. Wyślemy e-mailem kod, za pomocą którego wybierzesz nowe hasło.',
    submit: 'Wyślij kod',
    busy: 'Wysyłanie kodu…',
    failed: 'Żaden kod nie został jeszcze wysłany',
    backToSignIn: 'Wróć do logowania',
    problems: {
      'login-name-missing': {
        summary: 'Wpisz nazwę logowania lub adres e-mail.',
        atField: 'Wpisz nazwę logowania',
      },
    },
  },
  resetSent: {
    title: 'Sprawdź pocztę',
    body: (account) => html`Jeśli istnieje konto ${account}, wiadomość e-mail z kodem jest już w drodze.`,
    bodyWithoutName: 'Jeśli takie konto istnieje, wiadomość e-mail z kodem jest już w drodze.',
    enterCode: 'Wpisz kod',
    otherName: 'Użyj innej nazwy logowania',
  },
  resetPassword: {
    title: 'Wybierz nowe hasło',
    lead: 'Wpisz kod, który wysłaliśmy, oraz hasło, którego chcesz od teraz używać.',
  },
  changePassword: {
    title: 'Zmień hasło',
    reasons: {
      expired: 'Twoje hasło wygasło. Wybierz nowe, aby przejść dalej.',
      required: 'Zanim przejdziesz dalej, zastąp hasło takim, które znasz tylko Ty.',
      wanted: 'Od tej pory będziesz się logować nowym hasłem.',
    },
    currentPassword: 'Obecne hasło',
    submit: 'Zmień hasło',
    busy: 'Zapisywanie…',
    failed: 'Hasło nie zostało jeszcze zmienione',
    problems: {
      'current-missing': { summary: 'Wpisz obecne hasło.', atField: 'Wpisz obecne hasło' },
      'current-wrong': {
        summary: 'Obecne hasło jest nieprawidłowe.',
        atField: 'Wpisz obecne hasło jeszcze raz',
      },
      'password-unchanged': {
        summary: 'Nowe hasło jest takie samo jak obecne. Wybierz inne.',
        atField: 'Wybierz inne hasło',
      },
    },
  },
  passwordSet: {
    title: 'Hasło zostało ustawione',
    body: 'Od teraz możesz się nim logować.',
    bodyWithEmail: (address) =>
      html`Od teraz możesz się nim logować. Twój adres e-mail ${address} również został potwierdzony.`,
    signedOutElsewhere: 'Dla bezpieczeństwa wylogowaliśmy Cię wszędzie indziej.',
  },
  verifyEmail: {
    title: 'Potwierdź adres e-mail',
    sentTo: (address) => html`Wpisz kod, który wysłaliśmy na adres ${address}`,
    lead: 'Wpisz kod, który wysłaliśmy',
    submit: 'Potwierdź',
    busy: 'Potwierdzanie…',
    failed: 'Twój adres e-mail nie jest jeszcze potwierdzony',
    why: 'Zanim przejdziesz dalej, musimy wiedzieć, że nasze wiadomości do Ciebie docierają.',
    later: 'Nie teraz',
  },
  emailVerified: {
    title: 'Twój adres e-mail jest potwierdzony',
    body: (address) => html`Dziękujemy. Wiemy już, że pod adresem ${address} możemy się z Tobą skontaktować.`,
    bodyWithoutAddress: 'Dziękujemy. Wiemy już, że nasze wiadomości do Ciebie docierają.',
    closeWindow: 'To już wszystko. Możesz zamknąć tę stronę.',
  },
  verifyPhone: {
    title: 'Potwierdź numer telefonu',
    sentTo: (number) => html`Wpisz kod, który wysłaliśmy na numer ${number}`,
    failed: 'Twój numer telefonu nie jest jeszcze potwierdzony',
    problems: {
      'code-missing': { summary: 'Wpisz kod z SMS-a.', atField: 'Wpisz kod' },
      'code-not-valid': {
        summary: 'Ten kod jest nieprawidłowy lub już nieważny. Użyj kodu z najnowszego SMS-a.',
        atField: 'Wpisz kod z najnowszego SMS-a',
      },
    },
    linkOver:
      'Użyj linku z najnowszego SMS-a. Jeśli numer jest już potwierdzony, nic więcej nie trzeba robić.',
  },
  phoneVerified: {
    title: 'Twój numer telefonu jest potwierdzony',
    body: (number) => html`Dziękujemy. Wiemy już, że pod numerem ${number} możemy się z Tobą skontaktować.`,
  },
  signedIn: {
    title: 'Logowanie zakończone',
    body: 'Na tej stronie nie ma już nic do zrobienia.',
  },
  formPost: {
    title: 'Chwileczkę',
    body: (application) => html`Wracasz do ${application}. Jeśli nic się nie dzieje, naciśnij przycisk.`,
    bodyWithoutName: 'Wracasz do aplikacji. Jeśli nic się nie dzieje, naciśnij przycisk.',
    submit: 'Dalej',
  },
  waysOn: {
    signIn: 'Zaloguj się',
    continueTo: (application) => html`Przejdź do ${application}`,
    beginAgain: 'Zacznij od nowa',
    signOut: 'Wyloguj się',
    otherAccount: 'Użyj innego konta',
  },
  errors: {
    kinds: {
      request: {
        title: 'Nie udało się zalogować',
        next: 'Wróć do aplikacji i spróbuj ponownie. Jeśli ta strona znów się pojawi, przekaż poniższe informacje opiekunom aplikacji.',
      },
      'sign-out-request': {
        title: 'Nie udało się wylogować',
        next: 'Możliwe, że Twoja sesja nadal trwa. Wróć do aplikacji i spróbuj ponownie albo przekaż poniższe informacje opiekunom aplikacji.',
      },
      form: {
        title: 'Nie udało się przetworzyć formularza',
        next: 'Wróć do poprzedniej strony i zacznij od nowa. Przeglądarka musi zezwalać na pliki cookie tej witryny.',
      },
      'registration-off': {
        title: 'Tutaj nie można utworzyć konta',
        next: 'Jeśli masz już konto, wróć do aplikacji i zaloguj się na nie.',
      },
      'not-found': {
        title: 'Nie ma takiej strony',
        next: 'Sprawdź adres. Jeśli prowadził tu link, mógł się zdezaktualizować.',
      },
      'too-many-requests': {
        title: 'Zbyt wiele prób',
        next: 'Odczekaj kilka minut i spróbuj ponownie.',
      },
      unavailable: {
        title: 'Usługa jest chwilowo niedostępna',
        next: 'Spróbuj ponownie za minutę. Wpisane dane nie zostały zapisane.',
      },
      server: {
        title: 'Coś poszło nie tak po naszej stronie',
        next: 'Spróbuj ponownie za minutę. Jeśli to się powtórzy, podaj w dziale wsparcia poniższy numer.',
      },
    },
    requestNamed: (parameter) =>
      html`Aplikacja wysłała nam żądanie z błędem w ${parameter}. To nie Twoja wina.`,
    request: 'Aplikacja wysłała nam błędne żądanie. To nie Twoja wina.',
    form: 'Nie został wysłany z naszej strony albo strona była otwarta zbyt długo.',
    registrationOff: 'Konta zakłada sama organizacja. Skontaktuj się z opiekunami aplikacji.',
    notFound: 'Pod tym adresem niczego nie ma.',
    tooManyRequests: 'Z Twojej sieci przyszło więcej żądań, niż dopuszczamy.',
    unavailable: 'Część tej usługi jest właśnie uruchamiana ponownie.',
    server: 'To nie Twoja wina.',
    waitSeconds: (seconds) =>
      seconds === 1
        ? 'Odczekaj sekundę i spróbuj ponownie.'
        : `Odczekaj ${seconds} ${few(seconds) ? 'sekundy' : 'sekund'} i spróbuj ponownie.`,
    waitMinutes: (minutes) =>
      minutes === 1
        ? 'Odczekaj minutę i spróbuj ponownie.'
        : `Odczekaj ${minutes} ${few(minutes) ? 'minuty' : 'minut'} i spróbuj ponownie.`,
    parameter: 'Parametr',
    reason: 'Przyczyna',
    code: 'Kod błędu',
    reference: 'Numer zgłoszenia',
  },
  expired: {
    title: 'To logowanie wygasło',
    body: 'Trwało zbyt długo albo zostało już zakończone. Nic nie zostało zmienione.',
    next: 'Możesz od razu zacząć od nowa.',
    nextWithoutLink: 'Wróć do swojej aplikacji i zacznij od nowa.',
  },
  linkOver: {
    title: 'Ten link jest już nieważny',
    body: 'Został już użyty, jest zbyt stary albo wysłaliśmy nowszy.',
    next: 'Użyj linku z najnowszej wiadomości e-mail. Jeśli wszystko jest już gotowe, po prostu się zaloguj.',
  },
  registerElsewhere: {
    title: 'Dokończ tam, gdzie zaczęła się rejestracja',
    body: 'Rejestrację można dokończyć tylko w przeglądarce, w której się zaczęła. Wróć do tamtej strony i wpisz kod z wiadomości e-mail.',
    over: 'Jeśli zaczęła się w tej przeglądarce, to już wygasła. Zacznij od nowa.',
    notYou: 'Jeśli to nie Ty prosisz o konto, zignoruj tę wiadomość. Konto nie zostanie utworzone.',
  },
  signedOut: {
    title: 'Wylogowano',
    body: 'W tej przeglądarce nie ma już otwartej sesji.',
    shared: 'Na wspólnym komputerze zamknij też wszystkie okna przeglądarki.',
  },
  signOut: {
    title: 'Wylogować się?',
    body: (organization) =>
      html`Zakończysz w tej przeglądarce sesję w ${organization} oraz w aplikacjach otwartych przy jej użyciu.`,
    submit: 'Wyloguj się',
    busy: 'Wylogowywanie…',
    stay: 'Nie wylogowuj',
  },
  forbidden: {
    title: 'Ta strona jest przeznaczona dla administratorów',
    body: 'Logowanie się powiodło, ale to konto nie jest administratorem instancji.',
    next: 'Zaloguj się na konto administratora albo poproś administratora instancji o nadanie tej roli.',
  },
  home: {
    title: 'Usługa logowania',
    body: (service) => html`Aplikacje używają ${service}, aby logować użytkowników i sprawdzać, kim są.`,
    forPeople: 'Zwykle przenosi Cię tutaj aplikacja, a po zalogowaniu wracasz do niej.',
    signedInAs: (loginName) => html`Bieżące konto: ${loginName}.`,
    forAdministrators: 'Dla administratorów',
    apiReference: 'Dokumentacja API',
    mailsWait:
      'Wiadomości e-mail nie są wysyłane: nie skonfigurowano serwera poczty. Czekają, aż zostanie ustawione SMTP_URL lub dodany dostawca.',
    discovery: 'Dokument discovery',
    keys: 'Publiczne klucze podpisu',
    dashboard: 'Panel kolejek',
  },
};

/** 2 to 4, 22 to 24 and so on, which take another form than the rest. */
function few(count: number): boolean {
  return new Intl.PluralRules('pl').select(count) === 'few';
}

function characters(count: number): string {
  if (count === 1) return 'znak';
  return few(count) ? 'znaki' : 'znaków';
}
