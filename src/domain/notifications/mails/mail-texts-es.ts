import type { MailTexts } from './mail-texts.js';

export const es: MailTexts = {
  lang: 'es',
  dates: 'es-ES',
  dir: 'ltr',
  moment: (day, time) => `${day} a las ${time}`,
  labelled: (label) => `${label}:`,
  greeting: (name) => `Hola, ${name}:`,
  greetingWithoutName: 'Hola:',
  loginName: 'Su nombre de acceso',
  linkInstead: 'Si el botón no funciona, copie esta dirección en su navegador:',
  code: 'Si la página le pide un código, introduzca este:',
  validUntil: (moment) => `El enlace y el código son válidos hasta el ${moment} y sirven una sola vez.`,
  neverShare: 'Nadie de nuestra parte le pedirá nunca el código.',
  sms: (organization, code) => `${code} es su clave para ${organization}. No la comparta con nadie.`,
  init: {
    subject: (organization) => `Establezca su contraseña para ${organization}`,
    preview: (organization) => `Su cuenta en ${organization} está lista; solo falta una contraseña.`,
    heading: 'Establezca su contraseña',
    paragraphs: (organization) => [
      `Se ha creado una cuenta para usted en ${organization}. Elija una contraseña para usarla.`,
      'Así confirma también que esta dirección de correo es suya.',
    ],
    button: 'Establecer la contraseña',
    why: (organization) =>
      `Recibe este correo porque ${organization} ha indicado esta dirección para una cuenta nueva. Si no espera ninguna, no haga nada: nadie puede iniciar sesión en la cuenta sin una contraseña.`,
  },
  verifyEmail: {
    subject: (organization) => `Verifique su correo electrónico para ${organization}`,
    preview: (organization) => `Un solo paso para que ${organization} sepa que esta dirección es suya.`,
    heading: 'Verifique su correo electrónico',
    paragraphs: (organization) => [
      `Confirme que esta dirección de correo pertenece a su cuenta en ${organization}.`,
    ],
    button: 'Verificar el correo',
    why: (organization) =>
      `Recibe este correo porque se ha indicado esta dirección para una cuenta en ${organization}. Si la cuenta no es suya, no haga nada: la dirección quedará sin verificar.`,
  },
  passwordReset: {
    subject: (organization) => `Elija una contraseña nueva para ${organization}`,
    preview: (organization) => `Con este código podrá volver a entrar en su cuenta en ${organization}.`,
    heading: 'Elija una contraseña nueva',
    paragraphs: (organization) => [
      `Nos ha indicado que ha olvidado la contraseña de su cuenta en ${organization}. Elija aquí una nueva.`,
    ],
    button: 'Elegir una contraseña nueva',
    why: (organization) =>
      `Recibe este correo porque alguien ha introducido su nombre de acceso en la página de contraseñas olvidadas de ${organization}. Si no ha sido usted, no haga nada: su contraseña no cambia.`,
  },
  passwordChanged: {
    subject: (organization) => `Se ha cambiado su contraseña para ${organization}`,
    preview: () => 'Si ha sido usted, no tiene que hacer nada.',
    heading: 'Se ha cambiado su contraseña',
    paragraphs: (organization, moment) => [
      `La contraseña de su cuenta en ${organization} se cambió el ${moment}.`,
      'Si ha sido usted, no tiene que hacer nada.',
    ],
    signedOutElsewhere: 'Se ha cerrado la sesión de la cuenta en todos los demás dispositivos.',
    notYou: 'Si no ha sido usted, elija cuanto antes una contraseña nueva:',
    notYouWithoutLink: (organization) =>
      `Si no ha sido usted, avise cuanto antes a los responsables de las cuentas de ${organization}.`,
    button: 'Elegir una contraseña nueva',
    why: (organization) =>
      `Recibe este correo porque esta es la dirección de su cuenta en ${organization}. Siempre le avisamos cuando cambia su contraseña.`,
  },
  emailChanged: {
    subject: (organization) => `La dirección de correo de su cuenta en ${organization} va a cambiar`,
    preview: () => 'Si ha sido usted, no tiene que hacer nada.',
    heading: 'La dirección de correo de su cuenta va a cambiar',
    paragraphs: (organization, moment) => [
      `El ${moment} se introdujo una nueva dirección de correo para su cuenta en ${organization}. En cuanto se confirme, sustituirá a esta.`,
      'Si ha sido usted, no tiene que hacer nada.',
    ],
    signedOutElsewhere: 'Se ha cerrado la sesión de la cuenta en todos los demás dispositivos.',
    notYou: 'Si no ha sido usted, elija cuanto antes una contraseña nueva:',
    notYouWithoutLink: (organization) =>
      `Si no ha sido usted, avise cuanto antes a los responsables de las cuentas de ${organization}.`,
    button: 'Elegir una contraseña nueva',
    why: (organization) =>
      `Recibe este correo porque esta es hasta ahora la dirección de su cuenta en ${organization}. Siempre le avisamos cuando cambia.`,
  },
  register: {
    subject: (organization) => `Termine de crear su cuenta en ${organization}`,
    preview: (organization) => `Con este código, su cuenta en ${organization} queda lista.`,
    heading: 'Termine de crear su cuenta',
    paragraphs: (organization) => [
      `Confirme que esta dirección de correo es suya. Con ello, su cuenta en ${organization} queda lista.`,
      'Continúe en el navegador donde empezó: abra allí el enlace o introduzca allí el código. En otro navegador no es posible.',
    ],
    button: 'Terminar el registro',
    why: (organization) =>
      `Recibe este correo porque alguien ha indicado esta dirección para una cuenta nueva en ${organization}. Si no ha sido usted, ignore este correo: no se crea ninguna cuenta.`,
  },
  accountExists: {
    subject: (organization) => `Ya tiene una cuenta en ${organization}`,
    preview: () => 'Inicie sesión con ella; no se ha cambiado nada.',
    heading: 'Ya tiene una cuenta',
    paragraphs: (organization, moment) => [
      `El ${moment} alguien indicó esta dirección de correo para una cuenta nueva en ${organization}. Ya existe una cuenta con esta dirección, así que no se ha creado otra.`,
      'Si ha sido usted, inicie sesión con la cuenta que ya tiene.',
    ],
    button: 'Iniciar sesión',
    forgotten: '¿Ha olvidado su contraseña? Elija una nueva aquí:',
    why: (organization) =>
      `Recibe este correo porque esta es la dirección de su cuenta en ${organization}. Si no ha sido usted, no haga nada: no se ha cambiado nada.`,
  },
  resetChoice: {
    subject: () => 'Elija la cuenta para su nueva contraseña',
    preview: () => 'Varias cuentas tienen esta dirección; no se ha cambiado nada.',
    heading: '¿A qué cuenta se refiere?',
    paragraphs: (moment) => [
      `El ${moment} alguien indicó esta dirección de correo en la página de contraseñas olvidadas. Puede referirse a más de una cuenta, así que no se ha cambiado nada ni se ha enviado ningún código.`,
      'Si ha sido usted, escriba en esa página el nombre de usuario completo de la cuenta. Estas cuentas tienen esta dirección:',
    ],
    needsNewPassword: 'Con su nombre de usuario completo recibirá un código para una contraseña nueva.',
    needsFirstPassword:
      'Aún no tiene contraseña. Con su nombre de usuario completo recibirá un código para la primera.',
    button: 'Elegir una contraseña nueva',
    why: (organization) =>
      `Recibe este correo porque esta es la dirección de estas cuentas, una de ellas en ${organization}. Si no ha sido usted, no haga nada: sus contraseñas siguen igual.`,
  },
};
