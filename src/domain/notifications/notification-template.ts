/** Short messages; all others are mails. */
export const SMS_TEMPLATES = ['verify_phone', 'second_factor_sms'] as const;
export type SmsTemplate = (typeof SMS_TEMPLATES)[number];

export function isSmsTemplate(template: NotificationTemplate): template is SmsTemplate {
  return (SMS_TEMPLATES as readonly NotificationTemplate[]).includes(template);
}

/** Messages with a code, each good for the page of its own. */
export const CODE_TEMPLATES = [
  'initialise',
  'verify_email',
  'reset_password',
  'register',
  'second_factor_email',
  ...SMS_TEMPLATES,
] as const;
export type CodeTemplate = (typeof CODE_TEMPLATES)[number];
/** Those whose code can also be opened by a link. Second factors have none: a code is for the page that asked for it. */
export type LinkedTemplate = 'initialise' | 'verify_email' | 'reset_password' | 'register';
/** Notices, without a code. */
export const NOTICE_TEMPLATES = [
  'password_changed',
  'account_exists',
  'email_changed',
  'phone_changed',
  'reset_choice',
  'passkey_added',
  'passkey_removed',
  'factor_added',
  'factor_removed',
  'recovery_codes_made',
  'recovery_code_used',
  'factors_reset',
  'account_deleted',
  'template_test',
] as const;
export type NoticeTemplate = (typeof NOTICE_TEMPLATES)[number];
/** Notices without sealed contents: no address, no accounts, no texts to test. */
export const PLAIN_TEMPLATES = [
  'password_changed',
  'account_exists',
  'passkey_added',
  'passkey_removed',
  'factor_added',
  'factor_removed',
  'recovery_codes_made',
  'recovery_code_used',
  'factors_reset',
  'phone_changed',
] as const satisfies readonly NoticeTemplate[];
/** All that this program can write. */
export const NOTIFICATION_TEMPLATES = [...CODE_TEMPLATES, ...NOTICE_TEMPLATES] as const;
export type NotificationTemplate = (typeof NOTIFICATION_TEMPLATES)[number];
