import { html } from '../../../domain/shared/html.js';
import type { Texts } from './texts.js';

export const es: Texts = {
  lang: 'es',
  languageName: 'Español',
  dir: 'ltr',
  layout: {
    title: (page, organization) => `${page} – ${organization}`,
    titleWithProblem: (page, organization) => `Error: ${page} – ${organization}`,
    problem: 'Error:',
    labelled: (label) => `${label}:`,
    language: 'Idioma',
    help: 'Ayuda',
    privacy: 'Privacidad',
  },
  form: {
    loginName: 'Nombre de acceso',
    loginNameHint: 'Su nombre de usuario o su correo electrónico',
    password: 'Contraseña',
    code: 'Código',
    familyNameFirst: false,
    firstName: 'Nombre',
    lastName: 'Apellidos',
    email: 'Correo electrónico',
    showPassword: 'Mostrar la contraseña',
    hidePassword: 'Ocultar la contraseña',
    show: 'Mostrar',
    hide: 'Ocultar',
    account: 'Cuenta',
    problems: {
      'too-many-attempts': {
        summary: 'Ha habido demasiados intentos. Espere unos minutos y vuelva a intentarlo.',
        atField: 'Vuelva a intentarlo dentro de unos minutos',
      },
      'too-busy': {
        summary:
          'Ahora mismo hay demasiados inicios de sesión en espera. No se ha comprobado su contraseña. Vuelva a intentarlo dentro de unos segundos.',
        atField: 'Vuelva a intentarlo dentro de unos segundos',
      },
      'form-outdated': {
        summary: 'Esta página estuvo abierta demasiado tiempo y no se envió nada. Inténtelo de nuevo.',
        atField: 'Introduzca esto de nuevo',
      },
    },
  },
  signIn: {
    title: 'Iniciar sesión',
    continueTo: (application) => html`para continuar en ${application}`,
    submit: 'Iniciar sesión',
    busy: 'Iniciando sesión…',
    failed: 'Aún no ha iniciado sesión',
    forgottenPassword: '¿Ha olvidado la contraseña?',
    createAccount: 'Crear una cuenta',
    problems: {
      'wrong-credentials': {
        summary:
          'El nombre de acceso o la contraseña no son correctos. Revise ambos o use su nombre de acceso completo. Tras varios intentos fallidos, espere unos minutos.',
        atField: 'Introduzca de nuevo su contraseña',
      },
      'login-name-missing': {
        summary: 'Introduzca su nombre de acceso.',
        atField: 'Introduzca su nombre de acceso',
      },
      'password-missing': { summary: 'Introduzca su contraseña.', atField: 'Introduzca su contraseña' },
      'full-login-name-needed': {
        summary: 'Use su nombre de acceso completo. Tiene la forma nombre@example.com.',
        atField: 'Introduzca su nombre de acceso completo',
      },
    },
  },
  chooseAccount: {
    title: 'Elija una cuenta',
    signedIn: 'Sesión iniciada',
    signedOut: 'Sesión cerrada',
    remove: (name) => `Quitar ${name} de esta lista`,
    otherAccount: 'Iniciar sesión con otra cuenta',
  },
  consent: {
    title: '¿Permitir que esta aplicación actúe por usted?',
    lead: (application) => html`${application} quiere actuar en su nombre.`,
    owner: 'Pertenece a',
    where: 'Alcance',
    everywhere: 'Todas las organizaciones',
    back: 'Vuelve a',
    gets: 'Si lo permite, podrá',
    instance:
      'hacer todo lo que usted puede hacer en la administración de este servicio, en todas las organizaciones',
    organization: (organization) =>
      html`hacer lo que usted puede hacer en la administración de ${organization}, y nada en otras
      organizaciones`,
    account: 'ver y cambiar su propia cuenta: nombre, correo electrónico, teléfono y contraseña',
    trust: (owner) =>
      html`Permítalo solo si conoce la aplicación y confía en ${owner}. Puede retirarlo en cualquier momento.`,
    allow: 'Permitir',
    busy: 'Un momento…',
    deny: 'No permitir',
  },
  register: {
    title: 'Cree su cuenta',
    loginNameHint: (domain) => html`Su nombre de acceso terminará en ${domain}`,
    emailHint: 'Enviaremos un código a esta dirección',
    submit: 'Crear la cuenta',
    busy: 'Creando la cuenta…',
    failed: 'Su cuenta aún no se ha creado',
    haveAccount: 'Iniciar sesión en una cuenta existente',
    problems: {
      'first-name-missing': { summary: 'Introduzca su nombre.', atField: 'Introduzca su nombre' },
      'first-name-too-long': {
        summary: 'Este nombre es demasiado largo. Introduzca una forma más corta.',
        atField: 'Introduzca una forma más corta de su nombre',
      },
      'first-name-not-valid': {
        summary:
          'Este nombre contiene caracteres invisibles o que cambian el sentido de la escritura. Escríbalo de nuevo.',
        atField: 'Escriba de nuevo su nombre, sin pegarlo',
      },
      'last-name-missing': { summary: 'Introduzca sus apellidos.', atField: 'Introduzca sus apellidos' },
      'last-name-too-long': {
        summary: 'Estos apellidos son demasiado largos. Introduzca una forma más corta.',
        atField: 'Introduzca una forma más corta de sus apellidos',
      },
      'last-name-not-valid': {
        summary:
          'Estos apellidos contienen caracteres invisibles o que cambian el sentido de la escritura. Escríbalos de nuevo.',
        atField: 'Escriba de nuevo sus apellidos, sin pegarlos',
      },
      'email-missing': {
        summary: 'Introduzca su correo electrónico.',
        atField: 'Introduzca su correo electrónico',
      },
      'email-not-valid': {
        summary: 'Este correo electrónico no está completo. Debe tener la forma nombre@example.com.',
        atField: 'Introduzca un correo electrónico completo',
      },
      'email-not-available': {
        summary: 'Este correo electrónico no se puede usar para una cuenta nueva. Use otro o inicie sesión.',
        atField: 'Introduzca otro correo electrónico',
      },
      'login-name-missing': {
        summary: 'Elija un nombre de acceso.',
        atField: 'Introduzca un nombre de acceso',
      },
      'login-name-not-valid': {
        summary:
          'Este nombre de acceso es demasiado largo o contiene caracteres no permitidos, como espacios en blanco.',
        atField: 'Introduzca un nombre de acceso sin espacios',
      },
      'login-name-not-available': {
        summary: 'Este nombre de acceso no se puede usar para una cuenta nueva. Elija otro.',
        atField: 'Introduzca otro nombre de acceso',
      },
    },
  },
  code: {
    hint: 'Está en el correo que le hemos enviado',
    newCode: 'Enviar un código nuevo',
    sendAgain: 'Enviar de nuevo',
    sendAgainBusy: 'Enviando…',
    sendAgainIn: (time) => html`Podrá pedir un código nuevo dentro de ${time}`,
    sentAgain: 'Hemos enviado un código nuevo. El anterior ya no sirve.',
    notArrived: '¿No ha llegado nada? Mire también en la carpeta de correo no deseado.',
    problems: {
      'code-missing': { summary: 'Introduzca el código del correo.', atField: 'Introduzca el código' },
      'code-not-valid': {
        summary: 'Este código no es correcto o ya no es válido. Use el código del correo más reciente.',
        atField: 'Introduzca el código del correo más reciente',
      },
    },
  },
  newPassword: {
    label: 'Contraseña nueva',
    repeat: 'Repita la contraseña nueva',
    rules: 'La contraseña debe tener:',
    minLength: (length) => `al menos ${length} caracteres`,
    upperCase: 'una letra mayúscula (A–Z)',
    lowerCase: 'una letra minúscula (a–z)',
    number: 'un número (0–9)',
    symbol: 'un símbolo, como @ o #',
    unmet: (rule) => `${rule} (falta)`,
    problems: {
      'password-missing': {
        summary: 'Elija una contraseña nueva.',
        atField: 'Introduzca una contraseña nueva',
      },
      'password-too-weak': {
        summary: 'Elija una contraseña que cumpla toda la lista.',
        atField: 'Elija otra contraseña',
      },
      'password-too-long': {
        summary: 'Esta contraseña es demasiado larga. Elija una más corta.',
        atField: 'Elija una contraseña más corta',
      },
      'repeat-differs': {
        summary: 'Las dos contraseñas no coinciden. Introduzca dos veces la misma.',
        atField: 'Introduzca aquí la misma contraseña',
      },
    },
  },
  setPassword: {
    title: 'Establezca su contraseña',
    lead: (organization) => html`para su cuenta en ${organization}`,
    submit: 'Establecer la contraseña',
    busy: 'Guardando…',
    failed: 'Su contraseña aún no se ha establecido',
  },
  forgottenPassword: {
    title: '¿Ha olvidado la contraseña?',
    lead: 'Indique su nombre de acceso. Le enviaremos un código por correo para que elija una contraseña nueva.',
    submit: 'Enviar el código',
    busy: 'Enviando el código…',
    failed: 'Aún no se ha enviado ningún código',
    backToSignIn: 'Volver al inicio de sesión',
    problems: {
      'login-name-missing': {
        summary: 'Introduzca su nombre de acceso o su correo electrónico.',
        atField: 'Introduzca su nombre de acceso',
      },
    },
  },
  resetSent: {
    title: 'Revise su correo',
    body: (account) => html`Si existe una cuenta para ${account}, le llegará un correo con un código.`,
    bodyWithoutName: 'Si esa cuenta existe, le llegará un correo con un código.',
    enterCode: 'Introducir el código',
    otherName: 'Usar otro nombre de acceso',
  },
  resetPassword: {
    title: 'Elija una contraseña nueva',
    lead: 'Introduzca el código que le hemos enviado y la contraseña que quiere usar a partir de ahora.',
  },
  changePassword: {
    title: 'Cambie su contraseña',
    reasons: {
      expired: 'Su contraseña ha caducado. Elija una nueva para continuar.',
      required: 'Antes de continuar, sustituya su contraseña por una que solo usted conozca.',
      wanted: 'A partir de entonces iniciará sesión con la nueva.',
    },
    currentPassword: 'Contraseña actual',
    submit: 'Cambiar la contraseña',
    busy: 'Guardando…',
    failed: 'Su contraseña aún no se ha cambiado',
    problems: {
      'current-missing': {
        summary: 'Introduzca su contraseña actual.',
        atField: 'Introduzca su contraseña actual',
      },
      'current-wrong': {
        summary: 'La contraseña actual no es correcta.',
        atField: 'Introduzca de nuevo su contraseña actual',
      },
      'password-unchanged': {
        summary: 'La contraseña nueva es igual que la actual. Elija otra.',
        atField: 'Elija otra contraseña',
      },
    },
  },
  passwordSet: {
    title: 'Su contraseña está lista',
    body: 'A partir de ahora iniciará sesión con ella.',
    bodyWithEmail: (address) =>
      html`A partir de ahora iniciará sesión con ella. Su correo electrónico ${address} también ha quedado
      verificado.`,
    signedOutElsewhere: 'Por seguridad, hemos cerrado su sesión en todos los demás dispositivos.',
  },
  verifyEmail: {
    title: 'Verifique su correo electrónico',
    sentTo: (address) => html`Introduzca el código que hemos enviado a ${address}`,
    lead: 'Introduzca el código que le hemos enviado',
    submit: 'Verificar',
    busy: 'Verificando…',
    failed: 'Su correo electrónico aún no se ha verificado',
    why: 'Antes de continuar, necesitamos saber que nuestros correos le llegan.',
    later: 'Ahora no',
  },
  emailVerified: {
    title: 'Su correo electrónico está verificado',
    body: (address) => html`Gracias. Ahora sabemos que podemos escribirle a ${address}.`,
    bodyWithoutAddress: 'Gracias. Ahora sabemos que nuestros correos le llegan.',
    closeWindow: 'No tiene que hacer nada más. Puede cerrar esta página.',
  },
  verifyPhone: {
    title: 'Verifique su número de teléfono',
    sentTo: (number) => html`Introduzca el código que hemos enviado al ${number}`,
    failed: 'Su número de teléfono aún no se ha verificado',
    problems: {
      'code-missing': { summary: 'Introduzca el código del SMS.', atField: 'Introduzca el código' },
      'code-not-valid': {
        summary: 'Este código no es correcto o ya no es válido. Use el código del SMS más reciente.',
        atField: 'Introduzca el código del SMS más reciente',
      },
    },
    linkOver:
      'Use el enlace del SMS más reciente. Si su número ya está verificado, no tiene que hacer nada más.',
  },
  phoneVerified: {
    title: 'Su número de teléfono está verificado',
    body: (number) => html`Gracias. Ahora sabemos que podemos comunicarnos con usted en el ${number}.`,
  },
  signedIn: {
    title: 'Ha iniciado sesión',
    body: 'No queda nada por hacer en esta página.',
  },
  formPost: {
    title: 'Un momento',
    body: (application) => html`Está volviendo a ${application}. Si no ocurre nada, pulse el botón.`,
    bodyWithoutName: 'Está volviendo a la aplicación. Si no ocurre nada, pulse el botón.',
    submit: 'Continuar',
  },
  waysOn: {
    signIn: 'Iniciar sesión',
    continueTo: (application) => html`Continuar en ${application}`,
    beginAgain: 'Empezar de nuevo',
    signOut: 'Cerrar sesión',
    otherAccount: 'Usar otra cuenta',
  },
  errors: {
    kinds: {
      request: {
        title: 'No se ha podido iniciar sesión',
        next: 'Vuelva a la aplicación e inténtelo de nuevo. Si esta página vuelve a aparecer, envíe los datos de abajo a los responsables de la aplicación.',
      },
      'sign-out-request': {
        title: 'No se ha podido cerrar la sesión',
        next: 'Es posible que su sesión siga abierta. Vuelva a la aplicación e inténtelo de nuevo, o envíe los datos de abajo a los responsables de la aplicación.',
      },
      form: {
        title: 'No se ha podido procesar este formulario',
        next: 'Vuelva a la página anterior y empiece de nuevo. Su navegador debe permitir las cookies de este sitio.',
      },
      'registration-off': {
        title: 'Aquí no puede crear una cuenta',
        next: 'Si ya tiene una cuenta, vuelva a la aplicación e inicie sesión con ella.',
      },
      'not-found': {
        title: 'Esta página no existe',
        next: 'Revise la dirección. Si ha llegado por un enlace, puede que esté desactualizado.',
      },
      'too-many-requests': {
        title: 'Demasiados intentos',
        next: 'Espere unos minutos y vuelva a intentarlo.',
      },
      unavailable: {
        title: 'El servicio no está disponible en este momento',
        next: 'Inténtelo de nuevo dentro de un minuto. No se ha guardado nada de lo que ha introducido.',
      },
      server: {
        title: 'Algo ha fallado por nuestra parte',
        next: 'Inténtelo de nuevo dentro de un minuto. Si vuelve a ocurrir, indique al servicio de asistencia la referencia de abajo.',
      },
    },
    requestNamed: (parameter) =>
      html`La aplicación nos ha enviado una solicitud con un error en ${parameter}. Usted no ha hecho nada
      mal.`,
    request: 'La aplicación nos ha enviado una solicitud con un error. Usted no ha hecho nada mal.',
    form: 'No se envió desde nuestra página, o la página estuvo abierta demasiado tiempo.',
    registrationOff:
      'Las cuentas las crea la propia organización. Pregunte a los responsables de la aplicación.',
    notFound: 'No hay nada en esta dirección.',
    tooManyRequests: 'Desde su red han llegado más solicitudes de las que permitimos.',
    unavailable: 'Una parte de este servicio se está reiniciando.',
    server: 'Usted no ha hecho nada mal.',
    waitSeconds: (seconds) =>
      seconds === 1
        ? 'Espere un segundo y vuelva a intentarlo.'
        : `Espere ${seconds} segundos y vuelva a intentarlo.`,
    waitMinutes: (minutes) =>
      minutes === 1
        ? 'Espere un minuto y vuelva a intentarlo.'
        : `Espere ${minutes} minutos y vuelva a intentarlo.`,
    parameter: 'Parámetro',
    reason: 'Motivo',
    code: 'Código de error',
    reference: 'Referencia',
  },
  expired: {
    title: 'Este inicio de sesión ha caducado',
    body: 'Estuvo abierto demasiado tiempo o ya ha terminado. No se ha cambiado nada.',
    next: 'Puede empezar de nuevo ahora mismo.',
    nextWithoutLink: 'Vuelva a la aplicación de la que venía y empiece de nuevo.',
  },
  linkOver: {
    title: 'Este enlace ya no es válido',
    body: 'Ya se ha usado, es demasiado antiguo o le hemos enviado otro más reciente.',
    next: 'Use el enlace del correo más reciente. Si ya ha terminado, simplemente inicie sesión.',
  },
  registerElsewhere: {
    title: 'Continúe donde empezó',
    body: 'Solo puede terminar de crear su cuenta en el navegador donde empezó. Vuelva a esa página e introduzca el código del correo.',
    over: 'Si empezó en este navegador, el registro ha caducado. Empiece de nuevo.',
    notYou: 'Si no ha solicitado una cuenta, puede ignorar el correo. No se creará ninguna cuenta.',
  },
  signedOut: {
    title: 'Ha cerrado la sesión',
    body: 'Este navegador ya no tiene una sesión abierta aquí.',
    shared: 'En un equipo compartido, cierre también todas las ventanas del navegador.',
  },
  signOut: {
    title: '¿Cerrar la sesión?',
    body: (organization) =>
      html`Se cerrará su sesión de ${organization} en este navegador, y también la de las aplicaciones que
      haya abierto con ella.`,
    submit: 'Cerrar sesión',
    busy: 'Cerrando sesión…',
    stay: 'Mantener la sesión',
  },
  forbidden: {
    title: 'Esta página es para administradores',
    body: 'Ha iniciado sesión, pero esta cuenta no es administradora de la instancia.',
    next: 'Inicie sesión con una cuenta que lo sea o pida ese rol a un administrador de la instancia.',
  },
  home: {
    title: 'Servicio de inicio de sesión',
    body: (service) =>
      html`Hay aplicaciones que usan ${service} para que las personas inicien sesión y para comprobar quiénes
      son.`,
    forPeople: 'Normalmente llega aquí desde una aplicación y vuelve a ella tras iniciar sesión.',
    signedInAs: (loginName) => html`Ha iniciado sesión como ${loginName}.`,
    forAdministrators: 'Para administradores',
    apiReference: 'Referencia de la API',
    mailsWait:
      'Los correos no se envían: no hay ningún servidor de correo configurado. Esperan hasta que se defina SMTP_URL o se añada un proveedor.',
    discovery: 'Documento de descubrimiento',
    keys: 'Claves públicas de firma',
    dashboard: 'Panel de las colas',
  },
};
