import { attributes, html, type Html, type HtmlValue } from '../rendering/html.js';
import { form, type FormView } from './form-parts.js';
import { renderPage, type Page, type PageContent } from './layout.js';

/**
 * The shell of the account pages: as sign-in pages, a step wider. `/account` and `/account/security` are lists of
 * sections, each with its own state and one action; a section's page goes back to its list.
 */

/** What a section can be done with: a page of its own, or a button that does it. */
type SectionAction =
  | { readonly url: string; readonly label: string }
  | { readonly form: FormView; readonly label: string; readonly busy: string };

export interface AccountSection {
  /** Unlike any other on the page; the element of its heading. */
  readonly id: string;
  readonly heading: string;
  /** How things stand: a short text, or several lines of it. */
  readonly state: string | readonly (string | Html)[];
  readonly action?: SectionAction | undefined;
}

/** One below the other. The action is spoken with the section's heading, so that five "Change" links are distinguishable. */
export function sectionList(sections: readonly AccountSection[]): Html {
  return html`<div class="sections">
    ${sections.map(({ id, heading, state, action }) => {
      const lines = typeof state === 'string' ? [state] : state;
      return html`<section class="section">
        <div class="about">
          <h2 id="${id}">${heading}</h2>
          ${lines.map((line) => html`<p>${line}</p>`)}
        </div>
        ${action && sectionAction(id, action)}
      </section>`;
    })}
  </div>`;
}

function sectionAction(id: string, action: SectionAction): Html {
  const spoken = { id: `${id}-action`, 'aria-labelledby': `${id}-action ${id}`, class: 'button quiet small' };
  if ('url' in action) return html`<a${attributes({ ...spoken, href: action.url })}>${action.label}</a>`;
  const button = { ...spoken, type: 'submit', 'data-busy': action.busy };
  return form(action.form, html`<button${attributes(button)}>${action.label}</button>`);
}

export interface AccountPage extends Page {
  /** What the form before has done; said on top. */
  readonly notice?: string | undefined;
}

interface AccountContent extends Pick<PageContent, 'heading' | 'lead' | 'hasProblem' | 'address'> {
  /** The list that the page belongs to; the overview belongs to none. */
  readonly within?: 'account' | 'security' | undefined;
  /** In place of that list, for whoever came from elsewhere. */
  readonly back?: PageContent['back'];
  readonly body: HtmlValue;
}

export function renderAccountPage(
  page: AccountPage,
  { within, back, body, ...content }: AccountContent,
): string {
  const { account: texts } = page.texts;
  return renderPage(page, {
    ...content,
    wide: true,
    back:
      back ??
      (within === undefined
        ? undefined
        : within === 'account'
          ? { url: '/account', label: texts.title }
          : { url: '/account/security', label: texts.security.title }),
    body: [page.notice !== undefined && html`<p class="notice good" role="status">${page.notice}</p>`, body],
  });
}
