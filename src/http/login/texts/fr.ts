import { html } from '../../../domain/shared/html.js';
import type { Texts } from './texts.js';

// In front of ; ! ? stands a narrow no-break space (\u202f), in front of : a no-break space (\u00a0).

export const fr: Texts = {
  lang: 'fr',
  languageName: 'Français',
  dir: 'ltr',
  layout: {
    title: (page, organization) => `${page} – ${organization}`,
    titleWithProblem: (page, organization) => `Erreur\u00a0: ${page} – ${organization}`,
    problem: 'Erreur\u00a0:',
    labelled: (label) => `${label}\u00a0:`,
    language: 'Langue',
    help: 'Aide',
    privacy: 'Confidentialité',
  },
  form: {
    loginName: 'Identifiant',
    loginNameHint: 'Votre nom d’utilisateur ou votre adresse e-mail',
    password: 'Mot de passe',
    code: 'Code',
    familyNameFirst: false,
    firstName: 'Prénom',
    lastName: 'Nom',
    email: 'Adresse e-mail',
    showPassword: 'Afficher le mot de passe',
    hidePassword: 'Masquer le mot de passe',
    show: 'Afficher',
    hide: 'Masquer',
    account: 'Compte',
    problems: {
      'too-many-attempts': {
        summary: 'Il y a eu trop de tentatives. Attendez quelques minutes, puis réessayez.',
        atField: 'Réessayez dans quelques minutes',
      },
      'too-busy': {
        summary:
          'Trop de connexions sont en attente en ce moment. Votre mot de passe n’a pas été vérifié. Réessayez dans quelques secondes.',
        atField: 'Réessayez dans quelques secondes',
      },
      'form-outdated': {
        summary:
          'Cette page est restée ouverte trop longtemps, rien n’a donc été envoyé. Veuillez réessayer.',
        atField: 'Saisissez à nouveau ceci',
      },
    },
  },
  signIn: {
    title: 'Connexion',
    continueTo: (application) => html`pour continuer vers ${application}`,
    submit: 'Se connecter',
    busy: 'Connexion en cours…',
    failed: 'Vous n’êtes pas encore connecté',
    forgottenPassword: 'Mot de passe oublié\u202f?',
    createAccount: 'Créer un compte',
    problems: {
      'wrong-credentials': {
        summary:
          'L’identifiant ou le mot de passe est incorrect. Vérifiez les deux, ou utilisez votre identifiant complet. Après plusieurs essais erronés, patientez quelques minutes.',
        atField: 'Saisissez à nouveau votre mot de passe',
      },
      'login-name-missing': {
        summary: 'Saisissez votre identifiant.',
        atField: 'Saisissez votre identifiant',
      },
      'password-missing': {
        summary: 'Saisissez votre mot de passe.',
        atField: 'Saisissez votre mot de passe',
      },
      'full-login-name-needed': {
        summary: 'Utilisez votre identifiant complet. Il ressemble à nom@example.com.',
        atField: 'Saisissez votre identifiant complet',
      },
    },
  },
  chooseAccount: {
    title: 'Choisissez un compte',
    signedIn: 'Connecté',
    signedOut: 'Déconnecté',
    remove: (name) => `Retirer ${name} de cette liste`,
    otherAccount: 'Se connecter avec un autre compte',
  },
  consent: {
    title: 'Autoriser cette application à agir pour vous\u202f?',
    lead: (application) => html`${application} veut agir en votre nom.`,
    owner: 'Appartient à',
    where: 'Portée',
    everywhere: 'Toutes les organisations',
    back: 'Retour vers',
    gets: 'Si vous l’autorisez, elle pourra',
    instance:
      'faire tout ce que vous pouvez faire dans l’administration de ce service, dans chaque organisation',
    organization: (organization) =>
      html`faire ce que vous pouvez faire dans l’administration de ${organization}, et rien dans d’autres
      organisations`,
    account: 'voir et modifier votre propre compte\u00a0: nom, adresse e-mail, téléphone et mot de passe',
    trust: (owner) =>
      html`N’autorisez que si vous connaissez l’application et faites confiance à ${owner}. Vous pouvez
      revenir sur ce choix à tout moment.`,
    allow: 'Autoriser',
    busy: 'Un instant…',
    deny: 'Ne pas autoriser',
  },
  register: {
    title: 'Créez votre compte',
    loginNameHint: (domain) => html`Votre identifiant se terminera par ${domain}`,
    emailHint: 'Nous enverrons un code à cette adresse',
    submit: 'Créer le compte',
    busy: 'Création du compte…',
    failed: 'Votre compte n’est pas encore créé',
    haveAccount: 'Se connecter à un compte existant',
    problems: {
      'first-name-missing': { summary: 'Saisissez votre prénom.', atField: 'Saisissez votre prénom' },
      'first-name-too-long': {
        summary: 'Ce prénom est trop long. Saisissez-en une forme plus courte.',
        atField: 'Saisissez une forme plus courte de votre prénom',
      },
      'first-name-not-valid': {
        summary:
          'Ce prénom contient des caractères invisibles ou qui changent le sens de l’écriture. Saisissez-le à nouveau.',
        atField: 'Saisissez à nouveau votre prénom, sans le coller',
      },
      'last-name-missing': { summary: 'Saisissez votre nom.', atField: 'Saisissez votre nom' },
      'last-name-too-long': {
        summary: 'Ce nom est trop long. Saisissez-en une forme plus courte.',
        atField: 'Saisissez une forme plus courte de votre nom',
      },
      'last-name-not-valid': {
        summary:
          'Ce nom contient des caractères invisibles ou qui changent le sens de l’écriture. Saisissez-le à nouveau.',
        atField: 'Saisissez à nouveau votre nom, sans le coller',
      },
      'email-missing': {
        summary: 'Saisissez votre adresse e-mail.',
        atField: 'Saisissez votre adresse e-mail',
      },
      'email-not-valid': {
        summary: 'Cette adresse e-mail n’est pas complète. Elle doit ressembler à nom@example.com.',
        atField: 'Saisissez une adresse e-mail complète',
      },
      'email-not-available': {
        summary:
          'Cette adresse e-mail ne peut pas servir pour un nouveau compte. Utilisez-en une autre, ou connectez-vous.',
        atField: 'Saisissez une autre adresse e-mail',
      },
      'login-name-missing': { summary: 'Choisissez un identifiant.', atField: 'Saisissez un identifiant' },
      'login-name-not-valid': {
        summary:
          'Cet identifiant est trop long ou contient des caractères non autorisés, par exemple des espaces.',
        atField: 'Saisissez un identifiant sans espaces',
      },
      'login-name-not-available': {
        summary: 'Cet identifiant ne peut pas servir pour un nouveau compte. Choisissez-en un autre.',
        atField: 'Saisissez un autre identifiant',
      },
    },
  },
  code: {
    hint: 'Il figure dans l’e-mail que nous vous avons envoyé',
    newCode: 'Envoyer un nouveau code',
    sendAgain: 'Renvoyer un code',
    sendAgainBusy: 'Envoi en cours…',
    sendAgainIn: (time) => html`Vous pourrez demander un nouveau code dans ${time}`,
    sentAgain: 'Un nouveau code est en route. Le précédent n’est plus valable.',
    notArrived: 'Rien reçu\u202f? Regardez aussi dans vos courriers indésirables.',
    problems: {
      'code-missing': { summary: 'Saisissez le code reçu par e-mail.', atField: 'Saisissez le code' },
      'code-not-valid': {
        summary: 'Ce code est incorrect ou n’est plus valable. Utilisez celui de l’e-mail le plus récent.',
        atField: 'Saisissez le code de l’e-mail le plus récent',
      },
    },
  },
  newPassword: {
    label: 'Nouveau mot de passe',
    repeat: 'Répétez le nouveau mot de passe',
    rules: 'Votre mot de passe doit contenir\u00a0:',
    minLength: (length) => `au moins ${length} caractères`,
    upperCase: 'une lettre majuscule (A–Z)',
    lowerCase: 'une lettre minuscule (a–z)',
    number: 'un chiffre (0–9)',
    symbol: 'un symbole, par exemple @ ou #',
    unmet: (rule) => `${rule} (manquant)`,
    problems: {
      'password-missing': {
        summary: 'Choisissez un nouveau mot de passe.',
        atField: 'Saisissez un nouveau mot de passe',
      },
      'password-too-weak': {
        summary: 'Choisissez un mot de passe qui respecte toute la liste.',
        atField: 'Choisissez un autre mot de passe',
      },
      'password-too-long': {
        summary: 'Ce mot de passe est trop long. Choisissez-en un plus court.',
        atField: 'Choisissez un mot de passe plus court',
      },
      'repeat-differs': {
        summary: 'Les deux mots de passe sont différents. Saisissez deux fois le même.',
        atField: 'Saisissez ici le même mot de passe',
      },
    },
  },
  setPassword: {
    title: 'Définissez votre mot de passe',
    lead: (organization) => html`pour votre compte chez ${organization}`,
    submit: 'Définir le mot de passe',
    busy: 'Enregistrement…',
    failed: 'Votre mot de passe n’est pas encore défini',
  },
  forgottenPassword: {
    title: 'Mot de passe oublié\u202f?',
    lead: 'Indiquez votre identifiant. Nous vous enverrons par e-mail un code qui vous permettra de choisir un nouveau mot de passe.',
    submit: 'Envoyer le code',
    busy: 'Envoi du code…',
    failed: 'Aucun code n’a encore été envoyé',
    backToSignIn: 'Retour à la connexion',
    problems: {
      'login-name-missing': {
        summary: 'Saisissez votre identifiant ou votre adresse e-mail.',
        atField: 'Saisissez votre identifiant',
      },
    },
  },
  resetSent: {
    title: 'Consultez vos e-mails',
    body: (account) => html`S’il existe un compte pour ${account}, un e-mail contenant un code est en route.`,
    bodyWithoutName: 'Si ce compte existe, un e-mail contenant un code est en route.',
    enterCode: 'Saisir le code',
    otherName: 'Utiliser un autre identifiant',
  },
  resetPassword: {
    title: 'Choisissez un nouveau mot de passe',
    lead: 'Saisissez le code que nous vous avons envoyé et le mot de passe que vous utiliserez désormais.',
  },
  changePassword: {
    title: 'Changez votre mot de passe',
    reasons: {
      expired: 'Votre mot de passe a expiré. Choisissez-en un nouveau pour continuer.',
      required: 'Avant de continuer, remplacez votre mot de passe par un autre, connu de vous seul.',
      wanted: 'Vous vous connecterez ensuite avec le nouveau.',
    },
    currentPassword: 'Mot de passe actuel',
    submit: 'Changer le mot de passe',
    busy: 'Enregistrement…',
    failed: 'Votre mot de passe n’est pas encore changé',
    problems: {
      'current-missing': {
        summary: 'Saisissez votre mot de passe actuel.',
        atField: 'Saisissez votre mot de passe actuel',
      },
      'current-wrong': {
        summary: 'Le mot de passe actuel est incorrect.',
        atField: 'Saisissez à nouveau votre mot de passe actuel',
      },
      'password-unchanged': {
        summary: 'Le nouveau mot de passe est identique à l’actuel. Choisissez-en un autre.',
        atField: 'Choisissez un autre mot de passe',
      },
    },
  },
  passwordSet: {
    title: 'Votre mot de passe est défini',
    body: 'C’est avec lui que vous vous connecterez désormais.',
    bodyWithEmail: (address) =>
      html`C’est avec lui que vous vous connecterez désormais. Votre adresse e-mail ${address} est également
      confirmée.`,
    signedOutElsewhere: 'Par sécurité, nous vous avons déconnecté partout ailleurs.',
  },
  verifyEmail: {
    title: 'Confirmez votre adresse e-mail',
    sentTo: (address) => html`Saisissez le code que nous avons envoyé à ${address}`,
    lead: 'Saisissez le code que nous vous avons envoyé',
    submit: 'Confirmer',
    busy: 'Vérification…',
    failed: 'Votre adresse e-mail n’est pas encore confirmée',
    why: 'Avant de continuer, nous devons savoir que nos e-mails vous parviennent.',
    later: 'Plus tard',
  },
  emailVerified: {
    title: 'Votre adresse e-mail est confirmée',
    body: (address) => html`Merci. Nous savons maintenant que nous pouvons vous joindre à ${address}.`,
    bodyWithoutAddress: 'Merci. Nous savons maintenant que nos e-mails vous parviennent.',
    closeWindow: 'Il n’y a rien d’autre à faire. Vous pouvez fermer cette page.',
  },
  verifyPhone: {
    title: 'Confirmez votre numéro de téléphone',
    sentTo: (number) => html`Saisissez le code que nous avons envoyé au ${number}`,
    failed: 'Votre numéro de téléphone n’est pas encore confirmé',
    problems: {
      'code-missing': { summary: 'Saisissez le code reçu par SMS.', atField: 'Saisissez le code' },
      'code-not-valid': {
        summary: 'Ce code est incorrect ou n’est plus valable. Utilisez celui du SMS le plus récent.',
        atField: 'Saisissez le code du SMS le plus récent',
      },
    },
    linkOver:
      'Utilisez le lien du SMS le plus récent. Si votre numéro est déjà confirmé, il n’y a rien d’autre à faire.',
  },
  phoneVerified: {
    title: 'Votre numéro de téléphone est confirmé',
    body: (number) => html`Merci. Nous savons maintenant que nous pouvons vous joindre au ${number}.`,
  },
  signedIn: {
    title: 'Vous êtes connecté',
    body: 'Il n’y a plus rien à faire sur cette page.',
  },
  formPost: {
    title: 'Un instant',
    body: (application) => html`Vous retournez à ${application}. Si rien ne se passe, appuyez sur le bouton.`,
    bodyWithoutName: 'Vous retournez à l’application. Si rien ne se passe, appuyez sur le bouton.',
    submit: 'Continuer',
  },
  waysOn: {
    signIn: 'Se connecter',
    continueTo: (application) => html`Continuer vers ${application}`,
    beginAgain: 'Recommencer',
    signOut: 'Se déconnecter',
    otherAccount: 'Utiliser un autre compte',
  },
  errors: {
    kinds: {
      request: {
        title: 'La connexion a échoué',
        next: 'Revenez à l’application et réessayez. Si cette page réapparaît, transmettez les informations ci-dessous aux responsables de l’application.',
      },
      'sign-out-request': {
        title: 'La déconnexion a échoué',
        next: 'Vous êtes peut-être encore connecté. Revenez à l’application et réessayez, ou transmettez les informations ci-dessous aux responsables de l’application.',
      },
      form: {
        title: 'Ce formulaire n’a pas pu être traité',
        next: 'Revenez à la page précédente et recommencez. Votre navigateur doit autoriser les cookies pour ce site.',
      },
      'registration-off': {
        title: 'Vous ne pouvez pas créer de compte ici',
        next: 'Si vous avez déjà un compte, revenez à l’application et connectez-vous.',
      },
      'not-found': {
        title: 'Cette page n’existe pas',
        next: 'Vérifiez l’adresse. Si un lien vous a conduit ici, il est peut-être obsolète.',
      },
      'too-many-requests': {
        title: 'Trop de tentatives',
        next: 'Attendez quelques minutes, puis réessayez.',
      },
      unavailable: {
        title: 'Le service est momentanément indisponible',
        next: 'Réessayez dans une minute. Rien de ce que vous avez saisi n’a été enregistré.',
      },
      server: {
        title: 'Un problème est survenu de notre côté',
        next: 'Réessayez dans une minute. Si cela se reproduit, communiquez à l’assistance la référence ci-dessous.',
      },
    },
    requestNamed: (parameter) =>
      html`L’application nous a envoyé une requête contenant une erreur dans ${parameter}. Vous n’y êtes pour
      rien.`,
    request: 'L’application nous a envoyé une requête contenant une erreur. Vous n’y êtes pour rien.',
    form: 'Il n’a pas été envoyé depuis notre page, ou la page est restée ouverte trop longtemps.',
    registrationOff:
      'Les comptes sont créés par l’organisation elle-même. Adressez-vous aux responsables de l’application.',
    notFound: 'Il n’y a rien à cette adresse.',
    tooManyRequests: 'Votre réseau a envoyé plus de requêtes que nous n’en autorisons.',
    unavailable: 'Une partie de ce service est en cours de redémarrage.',
    server: 'Vous n’y êtes pour rien.',
    waitSeconds: (seconds) =>
      seconds === 1
        ? 'Attendez une seconde, puis réessayez.'
        : `Attendez ${seconds} secondes, puis réessayez.`,
    waitMinutes: (minutes) =>
      minutes === 1 ? 'Attendez une minute, puis réessayez.' : `Attendez ${minutes} minutes, puis réessayez.`,
    parameter: 'Paramètre',
    reason: 'Motif',
    code: 'Code d’erreur',
    reference: 'Référence',
  },
  expired: {
    title: 'Cette connexion a expiré',
    body: 'Elle est restée ouverte trop longtemps ou elle est déjà terminée. Rien n’a été modifié.',
    next: 'Vous pouvez recommencer tout de suite.',
    nextWithoutLink: 'Revenez à l’application d’où vous veniez et recommencez.',
  },
  linkOver: {
    title: 'Ce lien n’est plus valable',
    body: 'Il a déjà été utilisé, il est trop ancien, ou un lien plus récent l’a remplacé.',
    next: 'Utilisez le lien de l’e-mail le plus récent. Si vous avez déjà terminé, connectez-vous simplement.',
  },
  registerElsewhere: {
    title: 'Continuez là où vous avez commencé',
    body: 'Vous ne pouvez terminer la création de votre compte que dans le navigateur où vous l’avez commencée. Revenez à cette page et saisissez-y le code de l’e-mail.',
    over: 'Si vous avez commencé dans ce navigateur, l’inscription a expiré. Veuillez recommencer.',
    notYou:
      'Si vous n’avez pas demandé de compte, vous pouvez ignorer cet e-mail. Aucun compte ne sera créé.',
  },
  signedOut: {
    title: 'Vous êtes déconnecté',
    body: 'Ce navigateur n’est plus connecté ici.',
    shared: 'Sur un ordinateur partagé, fermez aussi toutes les fenêtres du navigateur.',
  },
  signOut: {
    title: 'Se déconnecter\u202f?',
    body: (organization) =>
      html`Vous serez déconnecté de ${organization} dans ce navigateur, ainsi que des applications que vous
      avez ouvertes avec ce compte.`,
    submit: 'Se déconnecter',
    busy: 'Déconnexion…',
    stay: 'Rester connecté',
  },
  forbidden: {
    title: 'Cette page est réservée aux administrateurs',
    body: 'Vous êtes connecté, mais ce compte n’est pas administrateur de l’instance.',
    next: 'Connectez-vous avec un compte qui l’est, ou demandez ce rôle à un administrateur de l’instance.',
  },
  home: {
    title: 'Service de connexion',
    body: (service) =>
      html`Des applications utilisent ${service} pour connecter des personnes et vérifier leur identité.`,
    forPeople: 'En général, vous arrivez ici depuis une application et vous y retournez après la connexion.',
    signedInAs: (loginName) => html`Vous êtes connecté en tant que ${loginName}.`,
    forAdministrators: 'Pour les administrateurs',
    apiReference: 'Référence de l’API',
    mailsWait:
      'Les e-mails ne sont pas envoyés : aucun serveur de messagerie n’est configuré. Ils attendent que SMTP_URL soit définie ou qu’un fournisseur soit ajouté.',
    discovery: 'Document de découverte',
    keys: 'Clés publiques de signature',
    dashboard: 'Tableau de bord des files d’attente',
  },
};
