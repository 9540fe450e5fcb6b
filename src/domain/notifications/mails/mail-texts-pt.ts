import type { MailTexts } from './mail-texts.js';

export const pt: MailTexts = {
  lang: 'pt',
  dates: 'pt-BR',
  dir: 'ltr',
  moment: (day, time) => `${day} às ${time}`,
  labelled: (label) => `${label}:`,
  greeting: (name) => `Olá, ${name}!`,
  greetingWithoutName: 'Olá!',
  loginName: 'Seu nome de login',
  linkInstead: 'Se o botão não funcionar, copie este endereço no seu navegador:',
  code: 'Se a página pedir um código, insira este:',
  validUntil: (moment) => `O link e o código valem até ${moment} e só podem ser usados uma vez.`,
  neverShare: 'Ninguém da nossa equipe pedirá este código a você.',
  sms: (organization, code) => `${code} confirma seu telefone em ${organization}. Nunca o compartilhe.`,
  init: {
    subject: (organization) => `Defina sua senha para ${organization}`,
    preview: (organization) => `Sua conta em ${organization} está pronta, só falta uma senha.`,
    heading: 'Defina sua senha',
    paragraphs: (organization) => [
      `Uma conta foi criada para você em ${organization}. Escolha uma senha para usá-la.`,
      'Com isso, você também confirma que este endereço de e-mail é seu.',
    ],
    button: 'Definir senha',
    why: (organization) =>
      `Você recebeu este e-mail porque ${organization} informou este endereço para uma conta nova. Se você não espera uma conta, não faça nada: sem senha, ninguém consegue entrar nela.`,
  },
  verifyEmail: {
    subject: (organization) => `Confirme seu endereço de e-mail para ${organization}`,
    preview: (organization) => `Só um passo, para que ${organization} saiba que este endereço é seu.`,
    heading: 'Confirme seu endereço de e-mail',
    paragraphs: (organization) => [
      `Confirme que este endereço de e-mail pertence à sua conta em ${organization}.`,
    ],
    button: 'Confirmar endereço de e-mail',
    why: (organization) =>
      `Você recebeu este e-mail porque este endereço foi informado para uma conta em ${organization}. Se a conta não é sua, não faça nada: o endereço ficará sem confirmação.`,
  },
  passwordReset: {
    subject: (organization) => `Escolha uma nova senha para ${organization}`,
    preview: (organization) => `Com este código você volta a entrar na sua conta em ${organization}.`,
    heading: 'Escolha uma nova senha',
    paragraphs: (organization) => [
      `Você nos disse que esqueceu a senha da sua conta em ${organization}. Escolha uma nova aqui.`,
    ],
    button: 'Escolher nova senha',
    why: (organization) =>
      `Você recebeu este e-mail porque alguém inseriu seu nome de login na página de senhas esquecidas de ${organization}. Se não foi você, não faça nada: sua senha continua a mesma.`,
  },
  passwordChanged: {
    subject: (organization) => `Sua senha para ${organization} foi alterada`,
    preview: () => 'Se foi você, não é preciso fazer nada.',
    heading: 'Sua senha foi alterada',
    paragraphs: (organization, moment) => [
      `A senha da sua conta em ${organization} foi alterada em ${moment}.`,
      'Se foi você, não é preciso fazer nada.',
    ],
    signedOutElsewhere: 'As sessões da conta foram encerradas em todos os outros lugares.',
    notYou: 'Se não foi você, escolha uma nova senha agora mesmo:',
    notYouWithoutLink: (organization) =>
      `Se não foi você, avise agora mesmo os responsáveis pelas contas de ${organization}.`,
    button: 'Escolher nova senha',
    why: (organization) =>
      `Você recebeu este e-mail porque este é o endereço da sua conta em ${organization}. Sempre avisamos quando sua senha muda.`,
  },
  emailChanged: {
    subject: (organization) => `O endereço de e-mail da sua conta em ${organization} vai mudar`,
    preview: () => 'Se foi você, não é preciso fazer nada.',
    heading: 'O endereço de e-mail da sua conta vai mudar',
    paragraphs: (organization, moment) => [
      `Um novo endereço de e-mail foi informado para a sua conta em ${organization} em ${moment}. Assim que for confirmado, ele substituirá este.`,
      'Se foi você, não é preciso fazer nada.',
    ],
    signedOutElsewhere: 'As sessões da conta foram encerradas em todos os outros lugares.',
    notYou: 'Se não foi você, escolha uma nova senha agora mesmo:',
    notYouWithoutLink: (organization) =>
      `Se não foi você, avise agora mesmo os responsáveis pelas contas de ${organization}.`,
    button: 'Escolher nova senha',
    why: (organization) =>
      `Você recebeu este e-mail porque este é até agora o endereço da sua conta em ${organization}. Sempre avisamos quando ele muda.`,
  },
  register: {
    subject: (organization) => `Conclua a criação da sua conta em ${organization}`,
    preview: (organization) => `Com este código, sua conta em ${organization} fica pronta.`,
    heading: 'Conclua a criação da sua conta',
    paragraphs: (organization) => [
      `Confirme que este endereço de e-mail é seu. Com isso, sua conta em ${organization} fica pronta.`,
      'Continue no navegador em que você começou: abra lá o link ou insira lá o código. Em outro navegador não é possível.',
    ],
    button: 'Concluir cadastro',
    why: (organization) =>
      `Você recebeu este e-mail porque alguém informou este endereço para uma conta nova em ${organization}. Se não foi você, ignore este e-mail: nenhuma conta é criada.`,
  },
  accountExists: {
    subject: (organization) => `Você já tem uma conta em ${organization}`,
    preview: () => 'Entre com ela; nada foi alterado.',
    heading: 'Você já tem uma conta',
    paragraphs: (organization, moment) => [
      `Em ${moment}, alguém informou este endereço de e-mail para uma conta nova em ${organization}. Já existe uma conta com este endereço, por isso nenhuma outra foi criada.`,
      'Se foi você, entre com a conta que já tem.',
    ],
    button: 'Entrar',
    forgotten: 'Esqueceu a senha? Escolha uma nova aqui:',
    why: (organization) =>
      `Você recebeu este e-mail porque este é o endereço da sua conta em ${organization}. Se não foi você, não faça nada: nada foi alterado.`,
  },
  resetChoice: {
    subject: () => 'Escolha a conta para a sua nova senha',
    preview: () => 'Várias contas têm este endereço; nada foi alterado.',
    heading: 'Qual é a conta?',
    paragraphs: (moment) => [
      `Em ${moment}, alguém informou este endereço de e-mail na página de senhas esquecidas. Ele pode indicar mais de uma conta, por isso nada foi alterado e nenhum código foi enviado.`,
      'Se foi você, digite nessa página o nome de usuário completo da conta. Estas contas têm este endereço:',
    ],
    needsNewPassword: 'Com o nome de usuário completo você recebe um código para uma nova senha.',
    needsFirstPassword:
      'Ainda não tem senha. Com o nome de usuário completo você recebe um código para a primeira.',
    button: 'Escolher uma nova senha',
    why: (organization) =>
      `Você recebeu este e-mail porque este é o endereço destas contas, uma delas em ${organization}. Se não foi você, não faça nada: as suas senhas continuam como estão.`,
  },
};
