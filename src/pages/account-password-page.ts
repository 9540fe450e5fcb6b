import { renderAccountPage, type AccountPage } from './account-layout.js';
import { changePasswordContent, type ChangePasswordPage } from './change-password-page.js';

interface AccountPasswordPage extends AccountPage, Omit<ChangePasswordPage, 'reason'> {}

/** Another password by the reader's own wish; what it ends is said before. */
export function renderAccountPasswordPage(page: AccountPasswordPage): string {
  return renderAccountPage(page, {
    within: 'security',
    heading: page.texts.changePassword.title,
    lead: page.texts.account.password.endsSessions,
    ...changePasswordContent(page),
  });
}
