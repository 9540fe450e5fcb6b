import { renderAccountPage, sectionList, type AccountPage, type AccountSection } from './account-layout.js';

interface AccountSecurityPage extends AccountPage {
  readonly sections: readonly AccountSection[];
}

/** `/account/security`: by what one signs in. */
export function renderAccountSecurityPage(page: AccountSecurityPage): string {
  const { security: texts } = page.texts.account;
  return renderAccountPage(page, {
    within: 'account',
    heading: texts.title,
    lead: texts.lead,
    body: sectionList(page.sections),
  });
}
