import type { MailTexts } from './mail-texts.js';

// In front of ; ! ? stands a narrow no-break space (\u202f), in front of : a no-break space (\u00a0).

export const fr: MailTexts = {
  lang: 'fr',
  dates: 'fr-FR',
  dir: 'ltr',
  moment: (day, time) => `${day} à ${time}`,
  labelled: (label) => `${label}\u00a0:`,
  greeting: (name) => `Bonjour ${name},`,
  greetingWithoutName: 'Bonjour,',
  loginName: 'Votre identifiant',
  linkInstead: 'Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur\u00a0:',
  code: 'Si la page vous demande un code, saisissez celui-ci\u00a0:',
  validUntil: (moment) => `Le lien et le code sont valables jusqu’au ${moment} et ne servent qu’une fois.`,
  neverShare: 'Aucun de nos collaborateurs ne vous demandera jamais ce code.',
  sms: (organization, code) => `Votre code pour ${organization} est ${code}. Ne le donnez à personne.`,
  init: {
    subject: (organization) => `Définissez votre mot de passe pour ${organization}`,
    preview: (organization) => `Votre compte chez ${organization} est prêt, il ne manque qu’un mot de passe.`,
    heading: 'Définissez votre mot de passe',
    paragraphs: (organization) => [
      `Un compte a été créé pour vous chez ${organization}. Choisissez un mot de passe pour l’utiliser.`,
      'Vous confirmerez ainsi que cette adresse e-mail est bien la vôtre.',
    ],
    button: 'Définir le mot de passe',
    why: (organization) =>
      `Vous recevez cet e-mail parce que ${organization} a indiqué cette adresse pour un nouveau compte. Si vous n’en attendez pas, ne faites rien\u00a0: sans mot de passe, personne ne peut se connecter à ce compte.`,
  },
  verifyEmail: {
    subject: (organization) => `Confirmez votre adresse e-mail pour ${organization}`,
    preview: (organization) =>
      `Une seule étape pour que ${organization} sache que cette adresse est la vôtre.`,
    heading: 'Confirmez votre adresse e-mail',
    paragraphs: (organization) => [
      `Veuillez confirmer que cette adresse e-mail est celle de votre compte chez ${organization}.`,
    ],
    button: 'Confirmer l’adresse e-mail',
    why: (organization) =>
      `Vous recevez cet e-mail parce que cette adresse a été indiquée pour un compte chez ${organization}. Si ce compte n’est pas le vôtre, ne faites rien\u00a0: l’adresse restera non confirmée.`,
  },
  passwordReset: {
    subject: (organization) => `Choisissez un nouveau mot de passe pour ${organization}`,
    preview: (organization) =>
      `Ce code vous permet de retrouver l’accès à votre compte chez ${organization}.`,
    heading: 'Choisissez un nouveau mot de passe',
    paragraphs: (organization) => [
      `Vous nous avez indiqué avoir oublié le mot de passe de votre compte chez ${organization}. Choisissez-en un nouveau ici.`,
    ],
    button: 'Choisir un nouveau mot de passe',
    why: (organization) =>
      `Vous recevez cet e-mail parce que quelqu’un a saisi votre identifiant sur la page des mots de passe oubliés de ${organization}. Si ce n’était pas vous, ne faites rien\u00a0: votre mot de passe ne change pas.`,
  },
  passwordChanged: {
    subject: (organization) => `Votre mot de passe pour ${organization} a été changé`,
    preview: () => 'Si c’était vous, il n’y a rien à faire.',
    heading: 'Votre mot de passe a été changé',
    paragraphs: (organization, moment) => [
      `Le mot de passe de votre compte chez ${organization} a été changé le ${moment}.`,
      'Si c’était vous, il n’y a rien à faire.',
    ],
    signedOutElsewhere: 'Le compte a été déconnecté partout ailleurs.',
    notYou: 'Si ce n’était pas vous, choisissez sans attendre un nouveau mot de passe\u00a0:',
    notYouWithoutLink: (organization) =>
      `Si ce n’était pas vous, prévenez sans attendre les responsables des comptes de ${organization}.`,
    button: 'Choisir un nouveau mot de passe',
    why: (organization) =>
      `Vous recevez cet e-mail parce que cette adresse est celle de votre compte chez ${organization}. Nous vous prévenons toujours quand votre mot de passe change.`,
  },
  emailChanged: {
    subject: (organization) => `L’adresse e-mail de votre compte chez ${organization} va changer`,
    preview: () => 'Si c’était vous, il n’y a rien à faire.',
    heading: 'L’adresse e-mail de votre compte va changer',
    paragraphs: (organization, moment) => [
      `Une nouvelle adresse e-mail a été saisie pour votre compte chez ${organization} le ${moment}. Une fois confirmée, elle remplacera celle-ci.`,
      'Si c’était vous, il n’y a rien à faire.',
    ],
    signedOutElsewhere: 'Le compte a été déconnecté partout ailleurs.',
    notYou: 'Si ce n’était pas vous, choisissez sans attendre un nouveau mot de passe\u00a0:',
    notYouWithoutLink: (organization) =>
      `Si ce n’était pas vous, prévenez sans attendre les responsables des comptes de ${organization}.`,
    button: 'Choisir un nouveau mot de passe',
    why: (organization) =>
      `Vous recevez cet e-mail parce que cette adresse est jusqu’ici celle de votre compte chez ${organization}. Nous vous prévenons toujours quand elle change.`,
  },
  register: {
    subject: (organization) => `Terminez la création de votre compte chez ${organization}`,
    preview: (organization) => `Avec ce code, votre compte chez ${organization} est prêt.`,
    heading: 'Terminez la création de votre compte',
    paragraphs: (organization) => [
      `Veuillez confirmer que cette adresse e-mail est la vôtre. Votre compte chez ${organization} sera alors prêt.`,
      'Continuez dans le navigateur où vous avez commencé\u00a0: ouvrez-y le lien ou saisissez-y le code. Ce n’est pas possible dans un autre navigateur.',
    ],
    button: 'Terminer la création',
    why: (organization) =>
      `Vous recevez cet e-mail parce que quelqu’un a indiqué cette adresse pour un nouveau compte chez ${organization}. Si ce n’était pas vous, ignorez cet e-mail\u00a0: aucun compte n’est créé.`,
  },
  accountExists: {
    subject: (organization) => `Vous avez déjà un compte chez ${organization}`,
    preview: () => 'Connectez-vous avec ce compte, rien n’a été modifié.',
    heading: 'Vous avez déjà un compte',
    paragraphs: (organization, moment) => [
      `Le ${moment}, quelqu’un a indiqué cette adresse e-mail pour un nouveau compte chez ${organization}. Il existe déjà un compte avec cette adresse, aucun autre n’a donc été créé.`,
      'Si c’était vous, connectez-vous avec votre compte existant.',
    ],
    button: 'Se connecter',
    forgotten: 'Mot de passe oublié\u202f? Choisissez-en un nouveau ici\u00a0:',
    why: (organization) =>
      `Vous recevez cet e-mail parce que cette adresse est celle de votre compte chez ${organization}. Si ce n’était pas vous, ne faites rien\u00a0: rien n’a été modifié.`,
  },
  resetChoice: {
    subject: () => 'Choisissez le compte pour votre nouveau mot de passe',
    preview: () => 'Plusieurs comptes ont cette adresse, rien n’a été modifié.',
    heading: 'De quel compte s’agit-il\u202f?',
    paragraphs: (moment) => [
      `Le ${moment}, quelqu’un a indiqué cette adresse e-mail sur la page des mots de passe oubliés. Elle peut désigner plusieurs comptes, rien n’a donc été modifié et aucun code n’a été envoyé.`,
      'Si c’était vous, saisissez sur cette page l’identifiant complet du compte voulu. Ces comptes ont cette adresse\u00a0:',
    ],
    needsNewPassword: 'Avec son identifiant complet, vous recevrez un code pour un nouveau mot de passe.',
    needsFirstPassword:
      'Il n’a pas encore de mot de passe. Avec son identifiant complet, vous recevrez un code pour définir le premier.',
    button: 'Choisir un nouveau mot de passe',
    why: (organization) =>
      `Vous recevez cet e-mail parce que cette adresse est celle de ces comptes, dont un chez ${organization}. Si ce n’était pas vous, ne faites rien\u00a0: vos mots de passe restent inchangés.`,
  },
};
