import { html } from '../../../domain/shared/html.js';
import type { Texts } from './texts.js';

export const ja: Texts = {
  lang: 'ja',
  languageName: '日本語',
  dir: 'ltr',
  layout: {
    title: (page, organization) => `${page} – ${organization}`,
    titleWithProblem: (page, organization) => `エラー：${page} – ${organization}`,
    problem: 'エラー：',
    labelled: (label) => `${label}：`,
    language: '言語',
    help: 'ヘルプ',
    privacy: 'プライバシー',
  },
  form: {
    loginName: 'ログイン名',
    loginNameHint: 'ユーザー名またはメールアドレス',
    password: 'パスワード',
    code: 'コード',
    familyNameFirst: true,
    firstName: '名',
    lastName: '姓',
    email: 'メールアドレス',
    showPassword: 'パスワードを表示',
    hidePassword: 'パスワードを隠す',
    show: '表示',
    hide: '隠す',
    account: 'アカウント',
    problems: {
      'too-many-attempts': {
        summary: '試行回数が多すぎます。数分待ってから、もう一度お試しください。',
        atField: '数分後にもう一度お試しください',
      },
      'too-busy': {
        summary:
          '現在、多数のログインが順番を待っています。パスワードは確認されていません。数秒後にもう一度お試しください。',
        atField: '数秒後にもう一度お試しください',
      },
      'form-outdated': {
        summary: 'ページが長時間開かれたままだったため、何も送信されませんでした。もう一度お試しください。',
        atField: 'もう一度入力してください',
      },
    },
  },
  signIn: {
    title: 'ログイン',
    continueTo: (application) => html`${application}に進みます`,
    submit: 'ログイン',
    busy: 'ログインしています…',
    failed: 'まだログインしていません',
    forgottenPassword: 'パスワードをお忘れですか？',
    createAccount: 'アカウントを作成',
    problems: {
      'wrong-credentials': {
        summary:
          'ログイン名またはパスワードが正しくありません。両方を確認するか、完全なログイン名をお使いください。何度か間違えた場合は、数分待ってください。',
        atField: 'パスワードをもう一度入力してください',
      },
      'login-name-missing': {
        summary: 'ログイン名を入力してください。',
        atField: 'ログイン名を入力してください',
      },
      'password-missing': {
        summary: 'パスワードを入力してください。',
        atField: 'パスワードを入力してください',
      },
      'full-login-name-needed': {
        summary: '完全なログイン名をお使いください。name@example.comのような形です。',
        atField: '完全なログイン名を入力してください',
      },
    },
  },
  chooseAccount: {
    title: 'アカウントを選択',
    signedIn: 'ログイン中',
    signedOut: 'ログアウト済み',
    remove: (name) => `${name}をこの一覧から削除`,
    otherAccount: '別のアカウントでログイン',
  },
  consent: {
    title: 'このアプリによる代行を許可しますか？',
    lead: (application) => html`${application}があなたに代わって操作しようとしています。`,
    owner: '所有者',
    where: '範囲',
    everywhere: 'すべての組織',
    back: '戻り先',
    gets: '許可すると、このアプリは次のことができます',
    instance: 'このサービスの管理で、すべての組織において、あなたに許されたすべての操作を行う',
    organization: (organization) =>
      html`${organization}の管理で、あなたに許された操作を行う（他の組織では何もできません）`,
    account: 'あなた自身のアカウント（名前、メールアドレス、電話番号、パスワード）を見て変更する',
    trust: (owner) =>
      html`このアプリを知っていて、${owner}を信頼できる場合にのみ許可してください。許可はいつでも取り消せます。`,
    allow: '許可する',
    busy: 'お待ちください…',
    deny: '許可しない',
  },
  register: {
    title: 'アカウントを作成',
    loginNameHint: (domain) => html`ログイン名の末尾は${domain}になります`,
    emailHint: 'このアドレスにコードを送信します',
    submit: 'アカウントを作成',
    busy: '作成しています…',
    failed: 'アカウントはまだ作成されていません',
    haveAccount: '既存のアカウントでログイン',
    problems: {
      'first-name-missing': { summary: '名を入力してください。', atField: '名を入力してください' },
      'first-name-too-long': {
        summary: '名が長すぎます。短い形で入力してください。',
        atField: '名を短い形で入力してください',
      },
      'first-name-not-valid': {
        summary: '名に、見えない文字または文字の向きを変える文字が含まれています。もう一度入力してください。',
        atField: '名を貼り付けずに、もう一度入力してください',
      },
      'last-name-missing': { summary: '姓を入力してください。', atField: '姓を入力してください' },
      'last-name-too-long': {
        summary: '姓が長すぎます。短い形で入力してください。',
        atField: '姓を短い形で入力してください',
      },
      'last-name-not-valid': {
        summary: '姓に、見えない文字または文字の向きを変える文字が含まれています。もう一度入力してください。',
        atField: '姓を貼り付けずに、もう一度入力してください',
      },
      'email-missing': {
        summary: 'メールアドレスを入力してください。',
        atField: 'メールアドレスを入力してください',
      },
      'email-not-valid': {
        summary: 'メールアドレスの形式が正しくありません。name@example.comのような形です。',
        atField: '正しい形式のメールアドレスを入力してください',
      },
      'email-not-available': {
        summary:
          'このメールアドレスは新しいアカウントに使用できません。別のアドレスを使うか、ログインしてください。',
        atField: '別のメールアドレスを入力してください',
      },
      'login-name-missing': {
        summary: 'ログイン名を決めてください。',
        atField: 'ログイン名を入力してください',
      },
      'login-name-not-valid': {
        summary: 'このログイン名は長すぎるか、空白など使用できない文字を含んでいます。',
        atField: '空白を含まないログイン名を入力してください',
      },
      'login-name-not-available': {
        summary: 'このログイン名は新しいアカウントに使用できません。別のログイン名を選んでください。',
        atField: '別のログイン名を入力してください',
      },
    },
  },
  code: {
    hint: 'お送りしたメールに記載されています',
    newCode: '新しいコードを送信',
    sendAgain: '再送信',
    sendAgainBusy: '送信しています…',
    sendAgainIn: (time) => html`あと${time}で新しいコードを送信できます`,
    sentAgain: '新しいコードをお送りしました。以前のコードは無効です。',
    notArrived: '届かない場合は、迷惑メールフォルダーもご確認ください。',
    problems: {
      'code-missing': {
        summary: 'メールに記載されたコードを入力してください。',
        atField: 'コードを入力してください',
      },
      'code-not-valid': {
        summary: 'コードが間違っているか、有効期限が切れています。最新のメールのコードをお使いください。',
        atField: '最新のメールのコードを入力してください',
      },
    },
  },
  newPassword: {
    label: '新しいパスワード',
    repeat: '新しいパスワード（確認）',
    rules: 'パスワードの条件：',
    minLength: (length) => `${length}文字以上`,
    upperCase: '英大文字（A～Z）を含む',
    lowerCase: '英小文字（a～z）を含む',
    number: '数字（0～9）を含む',
    symbol: '記号（!や#など）を含む',
    unmet: (rule) => `${rule}（不足しています）`,
    problems: {
      'password-missing': {
        summary: '新しいパスワードを決めてください。',
        atField: '新しいパスワードを入力してください',
      },
      'password-too-weak': {
        summary: 'すべての条件を満たすパスワードを選んでください。',
        atField: '別のパスワードを選んでください',
      },
      'password-too-long': {
        summary: 'パスワードが長すぎます。短いものを選んでください。',
        atField: '短いパスワードを選んでください',
      },
      'repeat-differs': {
        summary: '2つのパスワードが一致しません。同じパスワードを2回入力してください。',
        atField: '同じパスワードをここに入力してください',
      },
    },
  },
  setPassword: {
    title: 'パスワードを設定',
    lead: (organization) => html`${organization}のアカウント用`,
    submit: 'パスワードを設定',
    busy: '設定しています…',
    failed: 'パスワードはまだ設定されていません',
  },
  forgottenPassword: {
    title: 'パスワードをお忘れですか？',
    lead: 'ログイン名を入力してください。新しいパスワードを設定するためのコードをメールでお送りします。',
    submit: 'コードを送信',
    busy: '送信しています…',
    failed: 'コードはまだ送信されていません',
    backToSignIn: 'ログインに戻る',
    problems: {
      'login-name-missing': {
        summary: 'ログイン名またはメールアドレスを入力してください。',
        atField: 'ログイン名を入力してください',
      },
    },
  },
  resetSent: {
    title: 'メールをご確認ください',
    body: (account) => html`${account}のアカウントがある場合は、コードを記載したメールをお送りしています。`,
    bodyWithoutName: '該当するアカウントがある場合は、コードを記載したメールをお送りしています。',
    enterCode: 'コードを入力',
    otherName: '別のログイン名を使う',
  },
  resetPassword: {
    title: '新しいパスワードを選択',
    lead: 'お送りしたコードと、これから使うパスワードを入力してください。',
  },
  changePassword: {
    title: 'パスワードを変更',
    reasons: {
      expired: 'パスワードの有効期限が切れました。続けるには新しいパスワードを選んでください。',
      required: '続ける前に、ご自身だけが知っているパスワードに変更してください。',
      wanted: '変更後は新しいパスワードでログインします。',
    },
    currentPassword: '現在のパスワード',
    submit: 'パスワードを変更',
    busy: '変更しています…',
    failed: 'パスワードはまだ変更されていません',
    problems: {
      'current-missing': {
        summary: '現在のパスワードを入力してください。',
        atField: '現在のパスワードを入力してください',
      },
      'current-wrong': {
        summary: '現在のパスワードが正しくありません。',
        atField: '現在のパスワードをもう一度入力してください',
      },
      'password-unchanged': {
        summary: '新しいパスワードが現在のものと同じです。別のパスワードを選んでください。',
        atField: '別のパスワードを選んでください',
      },
    },
  },
  passwordSet: {
    title: 'パスワードを設定しました',
    body: '次回からこのパスワードでログインしてください。',
    bodyWithEmail: (address) =>
      html`次回からこのパスワードでログインしてください。メールアドレス${address}も確認されました。`,
    signedOutElsewhere: '安全のため、ほかのすべての端末からログアウトしました。',
  },
  verifyEmail: {
    title: 'メールアドレスの確認',
    sentTo: (address) => html`${address}に送信したコードを入力してください`,
    lead: 'お送りしたコードを入力してください',
    submit: '確認する',
    busy: '確認しています…',
    failed: 'メールアドレスはまだ確認されていません',
    why: '続ける前に、メールが届くことを確認させてください。',
    later: '後で',
  },
  emailVerified: {
    title: 'メールアドレスを確認しました',
    body: (address) => html`ありがとうございます。${address}にメールが届くことを確認しました。`,
    bodyWithoutAddress: 'ありがとうございます。メールが届くことを確認しました。',
    closeWindow: '手続きは完了です。このページは閉じてかまいません。',
  },
  verifyPhone: {
    title: '電話番号の確認',
    sentTo: (number) => html`${number}に送信したコードを入力してください`,
    failed: '電話番号はまだ確認されていません',
    problems: {
      'code-missing': {
        summary: 'SMSに記載されたコードを入力してください。',
        atField: 'コードを入力してください',
      },
      'code-not-valid': {
        summary: 'コードが間違っているか、有効期限が切れています。最新のSMSのコードをお使いください。',
        atField: '最新のSMSのコードを入力してください',
      },
    },
    linkOver: '最新のSMSのリンクをお使いください。電話番号の確認が済んでいる場合、手続きは完了です。',
  },
  phoneVerified: {
    title: '電話番号を確認しました',
    body: (number) => html`ありがとうございます。${number}にメッセージが届くことを確認しました。`,
  },
  signedIn: {
    title: 'ログインしています',
    body: 'このページで行うことはありません。',
  },
  formPost: {
    title: '少々お待ちください',
    body: (application) => html`${application}に戻ります。画面が変わらない場合は、ボタンを押してください。`,
    bodyWithoutName: 'アプリケーションに戻ります。画面が変わらない場合は、ボタンを押してください。',
    submit: '続ける',
  },
  waysOn: {
    signIn: 'ログイン',
    continueTo: (application) => html`${application}に進む`,
    beginAgain: '最初からやり直す',
    signOut: 'ログアウト',
    otherAccount: '別のアカウントを使う',
  },
  errors: {
    kinds: {
      request: {
        title: 'ログインできませんでした',
        next: 'アプリケーションに戻って、もう一度お試しください。このページが再び表示される場合は、下の情報をアプリケーションの運営者にお知らせください。',
      },
      'sign-out-request': {
        title: 'ログアウトできませんでした',
        next: 'まだログインしている可能性があります。アプリケーションに戻ってもう一度お試しいただくか、下の情報をアプリケーションの運営者にお知らせください。',
      },
      form: {
        title: 'フォームを処理できませんでした',
        next: '元のページに戻って、最初からやり直してください。ブラウザーでこのサイトのCookieを許可してください。',
      },
      'registration-off': {
        title: 'ここではアカウントを作成できません',
        next: 'アカウントをお持ちの場合は、アプリケーションに戻ってログインしてください。',
      },
      'not-found': {
        title: 'ページが見つかりません',
        next: 'アドレスをご確認ください。リンクから来られた場合は、リンクが古くなっている可能性があります。',
      },
      'too-many-requests': {
        title: '試行回数が多すぎます',
        next: '数分待ってから、もう一度お試しください。',
      },
      unavailable: {
        title: '現在ご利用いただけません',
        next: '1分ほど待ってから、もう一度お試しください。入力された内容は保存されていません。',
      },
      server: {
        title: 'サービス側で問題が発生しました',
        next: '1分ほど待ってから、もう一度お試しください。繰り返し発生する場合は、下の参照番号をサポートにお知らせください。',
      },
    },
    requestNamed: (parameter) =>
      html`アプリケーションから送られた要求の${parameter}に誤りがありました。お客様の操作に問題はありません。`,
    request: 'アプリケーションから送られた要求に誤りがありました。お客様の操作に問題はありません。',
    form: '当サービスのページから送信されていないか、ページが長時間開かれたままでした。',
    registrationOff: 'アカウントは組織が発行しています。アプリケーションの運営者にお問い合わせください。',
    notFound: 'このアドレスには何もありません。',
    tooManyRequests: 'お使いのネットワークからの要求が上限を超えました。',
    unavailable: 'サービスの一部を再起動しています。',
    server: 'お客様の操作が原因ではありません。',
    waitSeconds: (seconds) => `${seconds}秒待ってから、もう一度お試しください。`,
    waitMinutes: (minutes) => `${minutes}分待ってから、もう一度お試しください。`,
    parameter: 'パラメーター',
    reason: '理由',
    code: 'エラーコード',
    reference: '参照番号',
  },
  expired: {
    title: 'このログインは期限切れです',
    body: '長時間開かれたままだったか、すでに完了しています。変更は行われていません。',
    next: 'すぐに最初からやり直せます。',
    nextWithoutLink: '元のアプリケーションに戻って、最初からやり直してください。',
  },
  linkOver: {
    title: 'このリンクは無効になりました',
    body: 'すでに使用されたか、期限が切れたか、新しいリンクをお送りしています。',
    next: '最新のメールのリンクをお使いください。手続きが済んでいる場合は、そのままログインしてください。',
  },
  registerElsewhere: {
    title: '始めたブラウザーで続けてください',
    body: 'アカウントの登録は、手続きを始めたブラウザーでのみ完了できます。そのページに戻り、メールのコードを入力してください。',
    over: 'このブラウザーで始めた場合は、登録の期限が切れています。最初からやり直してください。',
    notYou: 'アカウントの登録に心当たりがない場合は、メールを無視してください。アカウントは作成されません。',
  },
  signedOut: {
    title: 'ログアウトしました',
    body: 'このブラウザーではログインしていない状態になりました。',
    shared: '共用のコンピューターでは、ブラウザーのウィンドウもすべて閉じてください。',
  },
  signOut: {
    title: 'ログアウトしますか？',
    body: (organization) =>
      html`このブラウザーで${organization}と、それを使って開いたアプリケーションからログアウトします。`,
    submit: 'ログアウト',
    busy: 'ログアウトしています…',
    stay: 'ログインしたままにする',
  },
  forbidden: {
    title: 'このページは管理者用です',
    body: 'ログインしていますが、このアカウントはインスタンスの管理者ではありません。',
    next: '管理者のアカウントでログインするか、インスタンスの管理者に権限を依頼してください。',
  },
  home: {
    title: 'ログインサービス',
    body: (service) => html`アプリケーションは${service}を使って、利用者のログインと本人確認を行います。`,
    forPeople: '通常はアプリケーションからここに移動し、ログインが終わると元のアプリケーションに戻ります。',
    signedInAs: (loginName) => html`${loginName}としてログインしています。`,
    forAdministrators: '管理者向け',
    apiReference: 'APIリファレンス',
    mailsWait:
      'メールは送信されていません。メールサーバーが設定されていないためです。SMTP_URLを設定するかプロバイダーを追加するまで、メールは保留されます。',
    discovery: 'ディスカバリー文書',
    keys: '公開署名鍵',
    dashboard: 'キューのダッシュボード',
  },
};
