import { html } from '../../../domain/shared/html.js';
import type { Texts } from './texts.js';

export const pt: Texts = {
  lang: 'pt',
  languageName: 'Português',
  dir: 'ltr',
  layout: {
    title: (page, organization) => `${page} – ${organization}`,
    titleWithProblem: (page, organization) => `Erro: ${page} – ${organization}`,
    problem: 'Erro:',
    labelled: (label) => `${label}:`,
    language: 'Idioma',
    help: 'Ajuda',
    privacy: 'Privacidade',
  },
  form: {
    loginName: 'Nome de login',
    loginNameHint: 'Seu nome de usuário ou endereço de e-mail',
    password: 'Senha',
    code: 'Código',
    familyNameFirst: false,
    firstName: 'Nome',
    lastName: 'Sobrenome',
    email: 'Endereço de e-mail',
    showPassword: 'Mostrar a senha',
    hidePassword: 'Ocultar a senha',
    show: 'Mostrar',
    hide: 'Ocultar',
    account: 'Conta',
    problems: {
      'too-many-attempts': {
        summary: 'Houve tentativas demais. Aguarde alguns minutos e tente novamente.',
        atField: 'Tente novamente em alguns minutos',
      },
      'too-busy': {
        summary:
          'Há entradas demais em espera neste momento. Sua senha não foi verificada. Tente novamente em alguns segundos.',
        atField: 'Tente novamente em alguns segundos',
      },
      'form-outdated': {
        summary: 'Esta página ficou aberta por tempo demais, e nada foi enviado. Tente mais uma vez.',
        atField: 'Insira isto de novo',
      },
    },
  },
  signIn: {
    title: 'Entrar',
    continueTo: (application) => html`para continuar em ${application}`,
    submit: 'Entrar',
    busy: 'Entrando…',
    failed: 'Você ainda não entrou',
    forgottenPassword: 'Esqueceu a senha?',
    createAccount: 'Criar conta',
    problems: {
      'wrong-credentials': {
        summary:
          'O nome de login ou a senha está incorreto. Confira os dois ou use seu nome de login completo. Depois de várias tentativas erradas, espere alguns minutos.',
        atField: 'Insira sua senha de novo',
      },
      'login-name-missing': { summary: 'Insira seu nome de login.', atField: 'Insira seu nome de login' },
      'password-missing': { summary: 'Insira sua senha.', atField: 'Insira sua senha' },
      'full-login-name-needed': {
        summary: 'Use seu nome de login completo. Ele tem a forma nome@example.com.',
        atField: 'Insira seu nome de login completo',
      },
    },
  },
  chooseAccount: {
    title: 'Escolha uma conta',
    signedIn: 'Conectada',
    signedOut: 'Desconectada',
    remove: (name) => `Remover ${name} desta lista`,
    otherAccount: 'Entrar com outra conta',
  },
  consent: {
    title: 'Permitir que este aplicativo aja por você?',
    lead: (application) => html`${application} quer agir em seu nome.`,
    owner: 'Pertence a',
    where: 'Alcance',
    everywhere: 'Todas as organizações',
    back: 'Volta para',
    gets: 'Se você permitir, ele poderá',
    instance: 'fazer tudo o que você pode fazer na administração deste serviço, em todas as organizações',
    organization: (organization) =>
      html`fazer o que você pode fazer na administração de ${organization}, e nada em outras organizações`,
    account: 'ver e alterar a sua própria conta: nome, e-mail, telefone e senha',
    trust: (owner) =>
      html`Permita somente se você conhece o aplicativo e confia em ${owner}. Você pode voltar atrás a
      qualquer momento.`,
    allow: 'Permitir',
    busy: 'Um momento…',
    deny: 'Não permitir',
  },
  register: {
    title: 'Crie sua conta',
    loginNameHint: (domain) => html`Seu nome de login terminará em ${domain}`,
    emailHint: 'Enviaremos um código para este endereço',
    submit: 'Criar conta',
    busy: 'Criando a conta…',
    failed: 'Sua conta ainda não foi criada',
    haveAccount: 'Entrar em uma conta existente',
    problems: {
      'first-name-missing': { summary: 'Insira seu nome.', atField: 'Insira seu nome' },
      'first-name-too-long': {
        summary: 'Este nome é longo demais. Insira uma forma mais curta.',
        atField: 'Insira uma forma mais curta do seu nome',
      },
      'first-name-not-valid': {
        summary:
          'Este nome contém caracteres invisíveis ou que mudam a direção da escrita. Digite-o novamente.',
        atField: 'Digite seu nome novamente, sem colar',
      },
      'last-name-missing': { summary: 'Insira seu sobrenome.', atField: 'Insira seu sobrenome' },
      'last-name-too-long': {
        summary: 'Este sobrenome é longo demais. Insira uma forma mais curta.',
        atField: 'Insira uma forma mais curta do seu sobrenome',
      },
      'last-name-not-valid': {
        summary:
          'Este sobrenome contém caracteres invisíveis ou que mudam a direção da escrita. Digite-o novamente.',
        atField: 'Digite seu sobrenome novamente, sem colar',
      },
      'email-missing': {
        summary: 'Insira seu endereço de e-mail.',
        atField: 'Insira seu endereço de e-mail',
      },
      'email-not-valid': {
        summary: 'Este endereço de e-mail não está completo. Ele deve ter a forma nome@example.com.',
        atField: 'Insira um endereço de e-mail completo',
      },
      'email-not-available': {
        summary:
          'Este endereço de e-mail não pode ser usado em uma conta nova. Use outro ou entre na sua conta.',
        atField: 'Insira outro endereço de e-mail',
      },
      'login-name-missing': { summary: 'Escolha um nome de login.', atField: 'Insira um nome de login' },
      'login-name-not-valid': {
        summary: 'Este nome de login é longo demais ou contém caracteres não permitidos, como espaços.',
        atField: 'Insira um nome de login sem espaços',
      },
      'login-name-not-available': {
        summary: 'Este nome de login não pode ser usado em uma conta nova. Escolha outro.',
        atField: 'Insira outro nome de login',
      },
    },
  },
  code: {
    hint: 'Está no e-mail que enviamos a você',
    newCode: 'Enviar um novo código',
    sendAgain: 'Enviar de novo',
    sendAgainBusy: 'Enviando…',
    sendAgainIn: (time) => html`Você poderá pedir um novo código em ${time}`,
    sentAgain: 'Um novo código está a caminho. O anterior não vale mais.',
    notArrived: 'Não chegou nada? Veja também na pasta de spam.',
    problems: {
      'code-missing': { summary: 'Insira o código do e-mail.', atField: 'Insira o código' },
      'code-not-valid': {
        summary: 'Este código está incorreto ou não vale mais. Use o código do e-mail mais recente.',
        atField: 'Insira o código do e-mail mais recente',
      },
    },
  },
  newPassword: {
    label: 'Nova senha',
    repeat: 'Repita a nova senha',
    rules: 'Sua senha precisa ter:',
    minLength: (length) => `pelo menos ${length} caracteres`,
    upperCase: 'uma letra maiúscula (A–Z)',
    lowerCase: 'uma letra minúscula (a–z)',
    number: 'um número (0–9)',
    symbol: 'um símbolo, como ! ou #',
    unmet: (rule) => `${rule} (falta)`,
    problems: {
      'password-missing': { summary: 'Escolha uma nova senha.', atField: 'Insira uma nova senha' },
      'password-too-weak': {
        summary: 'Escolha uma senha que atenda a toda a lista.',
        atField: 'Escolha outra senha',
      },
      'password-too-long': {
        summary: 'Esta senha é longa demais. Escolha uma mais curta.',
        atField: 'Escolha uma senha mais curta',
      },
      'repeat-differs': {
        summary: 'As duas senhas são diferentes. Insira a mesma senha duas vezes.',
        atField: 'Insira aqui a mesma senha',
      },
    },
  },
  setPassword: {
    title: 'Defina sua senha',
    lead: (organization) => html`para sua conta em ${organization}`,
    submit: 'Definir senha',
    busy: 'Salvando…',
    failed: 'Sua senha ainda não foi definida',
  },
  forgottenPassword: {
    title: 'Esqueceu a senha?',
    lead: 'Informe seu nome de login. Enviaremos um código por e-mail para você escolher uma nova senha.',
    submit: 'Enviar código',
    busy: 'Enviando o código…',
    failed: 'Nenhum código foi enviado ainda',
    backToSignIn: 'Voltar ao login',
    problems: {
      'login-name-missing': {
        summary: 'Insira seu nome de login ou seu endereço de e-mail.',
        atField: 'Insira seu nome de login',
      },
    },
  },
  resetSent: {
    title: 'Confira seu e-mail',
    body: (account) => html`Se houver uma conta para ${account}, um e-mail com um código está a caminho.`,
    bodyWithoutName: 'Se essa conta existir, um e-mail com um código está a caminho.',
    enterCode: 'Inserir o código',
    otherName: 'Usar outro nome de login',
  },
  resetPassword: {
    title: 'Escolha uma nova senha',
    lead: 'Insira o código que enviamos e a senha que você quer usar de agora em diante.',
  },
  changePassword: {
    title: 'Altere sua senha',
    reasons: {
      expired: 'Sua senha expirou. Escolha uma nova para continuar.',
      required: 'Antes de continuar, troque sua senha por uma que só você conheça.',
      wanted: 'Depois disso, você entrará com a nova.',
    },
    currentPassword: 'Senha atual',
    submit: 'Alterar senha',
    busy: 'Salvando…',
    failed: 'Sua senha ainda não foi alterada',
    problems: {
      'current-missing': { summary: 'Insira sua senha atual.', atField: 'Insira sua senha atual' },
      'current-wrong': {
        summary: 'A senha atual está incorreta.',
        atField: 'Insira sua senha atual de novo',
      },
      'password-unchanged': {
        summary: 'A nova senha é igual à atual. Escolha outra.',
        atField: 'Escolha outra senha',
      },
    },
  },
  passwordSet: {
    title: 'Sua senha está definida',
    body: 'De agora em diante, você entra com ela.',
    bodyWithEmail: (address) =>
      html`De agora em diante, você entra com ela. Seu endereço de e-mail ${address} também foi confirmado.`,
    signedOutElsewhere: 'Por segurança, encerramos suas sessões em todos os outros lugares.',
  },
  verifyEmail: {
    title: 'Confirme seu endereço de e-mail',
    sentTo: (address) => html`Insira o código que enviamos para ${address}`,
    lead: 'Insira o código que enviamos a você',
    submit: 'Confirmar',
    busy: 'Confirmando…',
    failed: 'Seu endereço de e-mail ainda não foi confirmado',
    why: 'Antes de continuar, precisamos saber que nossos e-mails chegam até você.',
    later: 'Agora não',
  },
  emailVerified: {
    title: 'Seu endereço de e-mail foi confirmado',
    body: (address) => html`Obrigado. Agora sabemos que ${address} chega até você.`,
    bodyWithoutAddress: 'Obrigado. Agora sabemos que nossos e-mails chegam até você.',
    closeWindow: 'Não há mais nada a fazer. Você pode fechar esta página.',
  },
  verifyPhone: {
    title: 'Confirme seu número de telefone',
    sentTo: (number) => html`Insira o código que enviamos para ${number}`,
    failed: 'Seu número de telefone ainda não foi confirmado',
    problems: {
      'code-missing': { summary: 'Insira o código do SMS.', atField: 'Insira o código' },
      'code-not-valid': {
        summary: 'Este código está incorreto ou não vale mais. Use o código do SMS mais recente.',
        atField: 'Insira o código do SMS mais recente',
      },
    },
    linkOver: 'Use o link do SMS mais recente. Se seu número já foi confirmado, não há mais nada a fazer.',
  },
  phoneVerified: {
    title: 'Seu número de telefone foi confirmado',
    body: (number) => html`Obrigado. Agora sabemos que ${number} chega até você.`,
  },
  signedIn: {
    title: 'Você já entrou',
    body: 'Não há mais nada a fazer nesta página.',
  },
  formPost: {
    title: 'Um momento',
    body: (application) =>
      html`Você está voltando para ${application}. Se nada acontecer, pressione o botão.`,
    bodyWithoutName: 'Você está voltando para o aplicativo. Se nada acontecer, pressione o botão.',
    submit: 'Continuar',
  },
  waysOn: {
    signIn: 'Entrar',
    continueTo: (application) => html`Continuar em ${application}`,
    beginAgain: 'Começar de novo',
    signOut: 'Sair',
    otherAccount: 'Usar outra conta',
  },
  errors: {
    kinds: {
      request: {
        title: 'Não foi possível fazer login',
        next: 'Volte ao aplicativo e tente novamente. Se esta página aparecer outra vez, envie os dados abaixo aos responsáveis pelo aplicativo.',
      },
      'sign-out-request': {
        title: 'Não foi possível sair',
        next: 'Talvez sua sessão ainda esteja aberta. Volte ao aplicativo e tente novamente, ou envie os dados abaixo aos responsáveis pelo aplicativo.',
      },
      form: {
        title: 'Não foi possível processar este formulário',
        next: 'Volte à página anterior e comece de novo. Seu navegador precisa permitir cookies deste site.',
      },
      'registration-off': {
        title: 'Não é possível criar uma conta aqui',
        next: 'Se você já tem uma conta, volte ao aplicativo e entre com ela.',
      },
      'not-found': {
        title: 'Esta página não existe',
        next: 'Confira o endereço. Se um link trouxe você até aqui, ele pode estar desatualizado.',
      },
      'too-many-requests': {
        title: 'Tentativas demais',
        next: 'Aguarde alguns minutos e tente novamente.',
      },
      unavailable: {
        title: 'O serviço está indisponível no momento',
        next: 'Tente novamente em um minuto. Nada do que você inseriu foi salvo.',
      },
      server: {
        title: 'Algo deu errado do nosso lado',
        next: 'Tente novamente em um minuto. Se acontecer outra vez, informe ao suporte a referência abaixo.',
      },
    },
    requestNamed: (parameter) =>
      html`O aplicativo nos enviou uma solicitação com um erro em ${parameter}. Você não fez nada de errado.`,
    request: 'O aplicativo nos enviou uma solicitação com um erro. Você não fez nada de errado.',
    form: 'Ele não foi enviado da nossa página, ou a página ficou aberta por tempo demais.',
    registrationOff:
      'As contas são criadas pela própria organização. Fale com os responsáveis pelo aplicativo.',
    notFound: 'Não há nada neste endereço.',
    tooManyRequests: 'Sua rede enviou mais solicitações do que permitimos.',
    unavailable: 'Uma parte deste serviço está sendo reiniciada.',
    server: 'Você não fez nada de errado.',
    waitSeconds: (seconds) =>
      seconds === 1
        ? 'Aguarde um segundo e tente novamente.'
        : `Aguarde ${seconds} segundos e tente novamente.`,
    waitMinutes: (minutes) =>
      minutes === 1
        ? 'Aguarde um minuto e tente novamente.'
        : `Aguarde ${minutes} minutos e tente novamente.`,
    parameter: 'Parâmetro',
    reason: 'Motivo',
    code: 'Código do erro',
    reference: 'Referência',
  },
  expired: {
    title: 'Este login expirou',
    body: 'Ele ficou aberto por tempo demais ou já foi concluído. Nada foi alterado.',
    next: 'Você pode começar de novo agora mesmo.',
    nextWithoutLink: 'Volte ao aplicativo de onde veio e comece de novo.',
  },
  linkOver: {
    title: 'Este link não é mais válido',
    body: 'Ele já foi usado, é antigo demais ou enviamos um mais recente.',
    next: 'Use o link do e-mail mais recente. Se você já concluiu tudo, basta entrar.',
  },
  registerElsewhere: {
    title: 'Continue onde você começou',
    body: 'Você só pode concluir a criação da sua conta no navegador em que começou. Volte a essa página e insira o código do e-mail.',
    over: 'Se você começou neste navegador, o cadastro expirou. Comece de novo.',
    notYou: 'Se você não pediu uma conta, pode ignorar o e-mail. Nenhuma conta será criada.',
  },
  signedOut: {
    title: 'Você saiu',
    body: 'Este navegador não tem mais uma sessão aberta aqui.',
    shared: 'Em um computador compartilhado, feche também todas as janelas do navegador.',
  },
  signOut: {
    title: 'Deseja sair?',
    body: (organization) =>
      html`Você sairá de ${organization} neste navegador e também dos aplicativos que abriu com essa conta.`,
    submit: 'Sair',
    busy: 'Saindo…',
    stay: 'Continuar conectado',
  },
  forbidden: {
    title: 'Esta página é para administradores',
    body: 'Você entrou, mas esta conta não é administradora da instância.',
    next: 'Entre com uma conta que seja, ou peça essa função a um administrador da instância.',
  },
  home: {
    title: 'Serviço de login',
    body: (service) =>
      html`Aplicativos usam ${service} para que as pessoas entrem e para confirmar quem elas são.`,
    forPeople: 'Em geral você chega aqui por um aplicativo e volta a ele depois de entrar.',
    signedInAs: (loginName) => html`Você entrou como ${loginName}.`,
    forAdministrators: 'Para administradores',
    apiReference: 'Referência da API',
    mailsWait:
      'Os e-mails não estão sendo enviados: nenhum servidor de e-mail está configurado. Eles aguardam até que SMTP_URL seja definida ou um provedor seja adicionado.',
    discovery: 'Documento de descoberta',
    keys: 'Chaves públicas de assinatura',
    dashboard: 'Painel das filas',
  },
};
