import type { LinkedTemplate } from './notification-template.js';

/** The page that takes the code. */
const PATHS: Readonly<Record<LinkedTemplate | 'register_passkey', string>> = {
  initialise: '/password/init',
  verify_email: '/verify/email',
  reset_password: '/password/reset',
  register: '/register/verify',
  register_passkey: '/passkey/register',
};

/** Where a code is entered, with the code filled in. */
export function codeLink(issuer: string, template: keyof typeof PATHS, id: string, code: string): string {
  const link = new URL(PATHS[template], issuer);
  link.searchParams.set('id', id);
  link.searchParams.set('code', code);
  return link.href;
}
