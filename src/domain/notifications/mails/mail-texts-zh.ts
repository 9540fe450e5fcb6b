import type { MailTexts } from './mail-texts.js';

export const zh: MailTexts = {
  lang: 'zh',
  dates: 'zh-CN',
  dir: 'ltr',
  moment: (day, time) => `${day} ${time}`,
  labelled: (label) => `${label}：`,
  greeting: (name) => `${name}，您好：`,
  greetingWithoutName: '您好：',
  loginName: '您的登录名',
  linkInstead: '如果按钮无法使用，请将以下地址复制到浏览器中：',
  code: '如果页面要求输入验证码，请输入：',
  validUntil: (moment) => `链接和验证码的有效期至 ${moment}，且只能使用一次。`,
  neverShare: '我们绝不会向您索要此验证码。',
  sms: (organization, code) => `${organization} 的验证码：${code}。请勿告诉任何人。`,
  init: {
    subject: (organization) => `请设置您在 ${organization} 的密码`,
    preview: (organization) => `您在 ${organization} 的账户已准备就绪，只差一个密码。`,
    heading: '设置密码',
    paragraphs: (organization) => [
      `${organization} 为您创建了一个账户。请设置密码以开始使用。`,
      '设置密码的同时，您也确认了此电子邮件地址属于您。',
    ],
    button: '设置密码',
    why: (organization) =>
      `您收到此邮件，是因为 ${organization} 使用此地址创建了新账户。如果您没有预期收到，请忽略：没有密码，任何人都无法登录该账户。`,
  },
  verifyEmail: {
    subject: (organization) => `请验证您在 ${organization} 的电子邮件地址`,
    preview: (organization) => `只需一步，让 ${organization} 知道此地址属于您。`,
    heading: '验证电子邮件地址',
    paragraphs: (organization) => [`请确认此电子邮件地址属于您在 ${organization} 的账户。`],
    button: '验证电子邮件地址',
    why: (organization) =>
      `您收到此邮件，是因为有人为 ${organization} 的账户填写了此地址。如果该账户不是您的，请忽略：此地址将保持未验证状态。`,
  },
  passwordReset: {
    subject: (organization) => `请为 ${organization} 设置新密码`,
    preview: (organization) => `使用此验证码，您可以重新进入在 ${organization} 的账户。`,
    heading: '设置新密码',
    paragraphs: (organization) => [`您告诉我们忘记了在 ${organization} 的账户密码。请在此设置新密码。`],
    button: '设置新密码',
    why: (organization) =>
      `您收到此邮件，是因为有人在 ${organization} 的忘记密码页面输入了您的登录名。如果不是您本人，请忽略：您的密码不会改变。`,
  },
  passwordChanged: {
    subject: (organization) => `您在 ${organization} 的密码已更改`,
    preview: () => '如果是您本人操作，则无需任何处理。',
    heading: '您的密码已更改',
    paragraphs: (organization, moment) => [
      `您在 ${organization} 的账户密码已于 ${moment} 更改。`,
      '如果是您本人操作，则无需任何处理。',
    ],
    signedOutElsewhere: '该账户已在其他所有地方退出登录。',
    notYou: '如果不是您本人操作，请立即设置新密码：',
    notYouWithoutLink: (organization) => `如果不是您本人操作，请立即通知 ${organization} 的账户管理方。`,
    button: '设置新密码',
    why: (organization) =>
      `您收到此邮件，是因为这是您在 ${organization} 的账户地址。密码更改时，我们总会通知您。`,
  },
  emailChanged: {
    subject: (organization) => `您在 ${organization} 的账户邮箱地址即将更改`,
    preview: () => '如果是您本人操作，则无需任何处理。',
    heading: '您的账户邮箱地址即将更改',
    paragraphs: (organization, moment) => [
      `有人于 ${moment} 为您在 ${organization} 的账户填写了新的邮箱地址。新地址一经确认，将取代此地址。`,
      '如果是您本人操作，则无需任何处理。',
    ],
    signedOutElsewhere: '该账户已在其他所有地方退出登录。',
    notYou: '如果不是您本人操作，请立即设置新密码：',
    notYouWithoutLink: (organization) => `如果不是您本人操作，请立即通知 ${organization} 的账户管理方。`,
    button: '设置新密码',
    why: (organization) =>
      `您收到此邮件，是因为这是您在 ${organization} 的账户目前的地址。地址更改时，我们总会通知您。`,
  },
  register: {
    subject: (organization) => `请完成您在 ${organization} 的账户注册`,
    preview: (organization) => `使用此验证码即可完成您在 ${organization} 的账户注册。`,
    heading: '完成账户注册',
    paragraphs: (organization) => [
      `请确认此电子邮件地址属于您。确认后，您在 ${organization} 的账户即可使用。`,
      '请在您开始注册的浏览器中继续：在那里打开链接，或输入验证码。在其他浏览器中无法完成。',
    ],
    button: '完成注册',
    why: (organization) =>
      `您收到此邮件，是因为有人在 ${organization} 注册新账户时填写了此地址。如果不是您本人，请忽略此邮件：不会创建账户。`,
  },
  accountExists: {
    subject: (organization) => `您在 ${organization} 已有账户`,
    preview: () => '请使用现有账户登录，没有任何更改。',
    heading: '您已有账户',
    paragraphs: (organization, moment) => [
      `有人于 ${moment} 在 ${organization} 注册新账户时填写了此电子邮件地址。此地址已有账户，因此没有创建新的账户。`,
      '如果是您本人操作，请使用现有账户登录。',
    ],
    button: '登录',
    forgotten: '忘记密码？请在此设置新密码：',
    why: (organization) =>
      `您收到此邮件，是因为这是您在 ${organization} 的账户地址。如果不是您本人，请忽略：没有任何更改。`,
  },
  resetChoice: {
    subject: () => '请选择要设置新密码的账户',
    preview: () => '有多个账户使用此地址，没有任何更改。',
    heading: '您指的是哪个账户？',
    paragraphs: (moment) => [
      `有人于 ${moment} 在忘记密码页面上填写了此电子邮件地址。它可能对应多个账户，因此没有任何更改，也没有发送验证码。`,
      '如果是您本人操作，请在该页面输入相应账户的完整登录名。使用此地址的账户如下：',
    ],
    needsNewPassword: '输入其完整登录名，即可收到用于设置新密码的验证码。',
    needsFirstPassword: '该账户尚无密码。输入其完整登录名，即可收到用于设置首个密码的验证码。',
    button: '设置新密码',
    why: (organization) =>
      `您收到此邮件，是因为这是以下账户的地址，其中一个在 ${organization}。如果不是您本人，请忽略：您的密码保持不变。`,
  },
};
