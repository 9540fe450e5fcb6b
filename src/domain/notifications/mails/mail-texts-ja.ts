import type { MailTexts } from './mail-texts.js';

export const ja: MailTexts = {
  lang: 'ja',
  dates: 'ja-JP',
  dir: 'ltr',
  moment: (day, time) => `${day} ${time}`,
  labelled: (label) => `${label}：`,
  greeting: (name) => `${name} 様`,
  greetingWithoutName: 'こんにちは。',
  loginName: 'ログイン名',
  linkInstead: 'ボタンが動作しない場合は、次のアドレスをブラウザーにコピーしてください。',
  code: 'ページでコードを求められた場合は、次のコードを入力してください。',
  validUntil: (moment) => `リンクとコードは${moment}まで有効で、一度だけ使用できます。`,
  neverShare: '当方からコードをお尋ねすることは決してありません。',
  sms: (organization, code) => `${organization}の確認コードは${code}です。誰にも教えないでください。`,
  init: {
    subject: (organization) => `【${organization}】パスワードの設定のお願い`,
    preview: (organization) =>
      `${organization}のアカウントの準備ができました。あとはパスワードの設定だけです。`,
    heading: 'パスワードの設定',
    paragraphs: (organization) => [
      `${organization}にお客様のアカウントが作成されました。ご利用になるには、パスワードを設定してください。`,
      '設定すると、このメールアドレスがご本人のものであることも確認されます。',
    ],
    button: 'パスワードを設定',
    why: (organization) =>
      `このメールは、${organization}が新しいアカウントにこのアドレスを登録したためお送りしています。お心当たりがない場合は、何もする必要はありません。パスワードがなければ、誰もそのアカウントにログインできません。`,
  },
  verifyEmail: {
    subject: (organization) => `【${organization}】メールアドレスの確認のお願い`,
    preview: () => 'このアドレスがご本人のものであることを確認させてください。',
    heading: 'メールアドレスの確認',
    paragraphs: (organization) => [
      `このメールアドレスが${organization}のお客様のアカウントのものであることをご確認ください。`,
    ],
    button: 'メールアドレスを確認',
    why: (organization) =>
      `このメールは、${organization}のアカウントにこのアドレスが登録されたためお送りしています。ご自身のアカウントでない場合は、何もする必要はありません。アドレスは未確認のままになります。`,
  },
  passwordReset: {
    subject: (organization) => `【${organization}】新しいパスワードの設定`,
    preview: (organization) => `このコードで${organization}のアカウントを再びご利用いただけます。`,
    heading: '新しいパスワードの設定',
    paragraphs: (organization) => [
      `${organization}のアカウントのパスワードをお忘れとのことで、このメールをお送りしています。こちらから新しいパスワードを設定してください。`,
    ],
    button: '新しいパスワードを設定',
    why: (organization) =>
      `このメールは、${organization}のパスワード再設定ページでお客様のログイン名が入力されたためお送りしています。お心当たりがない場合は、何もする必要はありません。パスワードは変更されません。`,
  },
  passwordChanged: {
    subject: (organization) => `【${organization}】パスワードが変更されました`,
    preview: () => 'ご自身で変更された場合は、何もする必要はありません。',
    heading: 'パスワードが変更されました',
    paragraphs: (organization, moment) => [
      `${organization}のアカウントのパスワードが${moment}に変更されました。`,
      'ご自身で変更された場合は、何もする必要はありません。',
    ],
    signedOutElsewhere: 'ほかのすべての端末からはログアウトされました。',
    notYou: 'お心当たりがない場合は、すぐに新しいパスワードを設定してください。',
    notYouWithoutLink: (organization) =>
      `お心当たりがない場合は、すぐに${organization}のアカウント管理者にお知らせください。`,
    button: '新しいパスワードを設定',
    why: (organization) =>
      `このメールは、このアドレスが${organization}のお客様のアカウントのものであるためお送りしています。パスワードが変更されたときは、必ずお知らせします。`,
  },
  emailChanged: {
    subject: (organization) => `【${organization}】メールアドレスの変更手続きについて`,
    preview: () => 'ご自身で変更された場合は、何もする必要はありません。',
    heading: 'メールアドレスの変更手続きが行われました',
    paragraphs: (organization, moment) => [
      `${organization}のアカウントに${moment}に新しいメールアドレスが入力されました。確認が済むと、このアドレスに代わって使用されます。`,
      'ご自身で変更された場合は、何もする必要はありません。',
    ],
    signedOutElsewhere: 'ほかのすべての端末からはログアウトされました。',
    notYou: 'お心当たりがない場合は、すぐに新しいパスワードを設定してください。',
    notYouWithoutLink: (organization) =>
      `お心当たりがない場合は、すぐに${organization}のアカウント管理者にお知らせください。`,
    button: '新しいパスワードを設定',
    why: (organization) =>
      `このメールは、このアドレスが${organization}のお客様のアカウントの現在のものであるためお送りしています。アドレスが変更されるときは、必ずお知らせします。`,
  },
  register: {
    subject: (organization) => `【${organization}】アカウント登録の完了のお願い`,
    preview: (organization) => `このコードで${organization}のアカウント登録が完了します。`,
    heading: 'アカウント登録の完了',
    paragraphs: (organization) => [
      `このメールアドレスがご本人のものであることをご確認ください。確認が済むと、${organization}のアカウントをご利用いただけます。`,
      '手続きを始めたブラウザーでお進みください。そのブラウザーでリンクを開くか、コードを入力してください。ほかのブラウザーでは完了できません。',
    ],
    button: '登録を完了',
    why: (organization) =>
      `このメールは、${organization}の新しいアカウントにこのアドレスが入力されたためお送りしています。お心当たりがない場合は、このメールは無視してください。アカウントは作成されません。`,
  },
  accountExists: {
    subject: (organization) => `【${organization}】アカウントはすでにお持ちです`,
    preview: () => 'お持ちのアカウントでログインしてください。何も変更されていません。',
    heading: 'アカウントはすでにお持ちです',
    paragraphs: (organization, moment) => [
      `${moment}に、${organization}の新しいアカウントにこのメールアドレスが入力されました。このアドレスのアカウントはすでにあるため、新しいアカウントは作成されていません。`,
      'ご本人による操作の場合は、お持ちのアカウントでログインしてください。',
    ],
    button: 'ログイン',
    forgotten: 'パスワードをお忘れの場合は、こちらで新しく設定できます。',
    why: (organization) =>
      `このメールは、このアドレスが${organization}のお客様のアカウントのものであるためお送りしています。お心当たりがない場合は、何もする必要はありません。何も変更されていません。`,
  },
  resetChoice: {
    subject: () => '新しいパスワードを設定するアカウントをお選びください',
    preview: () => 'このアドレスのアカウントが複数あります。何も変更されていません。',
    heading: 'どのアカウントですか',
    paragraphs: (moment) => [
      `${moment}に、パスワードをお忘れの方のページでこのメールアドレスが入力されました。複数のアカウントに当てはまる可能性があるため、何も変更されておらず、コードも送信されていません。`,
      'ご本人による操作の場合は、該当するアカウントの完全なログイン名をそのページに入力してください。このアドレスのアカウントは次のとおりです。',
    ],
    needsNewPassword: '完全なログイン名を入力すると、新しいパスワード用のコードが届きます。',
    needsFirstPassword:
      'パスワードがまだ設定されていません。完全なログイン名を入力すると、最初のパスワード用のコードが届きます。',
    button: '新しいパスワードを設定',
    why: (organization) =>
      `このメールは、このアドレスがこれらのアカウント（うち一つは${organization}）のものであるためお送りしています。お心当たりがない場合は、何もする必要はありません。パスワードは変更されていません。`,
  },
};
