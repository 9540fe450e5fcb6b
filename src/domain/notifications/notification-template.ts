/** Messages with a code, each good for the page of its own. */
export type CodeTemplate = 'initialise' | 'verify_email' | 'verify_phone' | 'reset_password' | 'register';
/** Messages that only tell something. */
export type NoticeTemplate =
  | 'password_changed'
  | 'account_exists'
  | 'email_changed'
  | 'reset_choice'
  | 'passkey_added'
  | 'passkey_removed'
  | 'factor_added'
  | 'factor_removed'
  | 'recovery_codes_made'
  | 'recovery_code_used'
  | 'factors_reset'
  | 'account_deleted';
export type NotificationTemplate = CodeTemplate | NoticeTemplate;
