import { html } from '../rendering/html.js';
import { renderAccountPage, sectionList, type AccountPage, type AccountSection } from './account-layout.js';
import { form, type FormView } from './form-parts.js';
import { agoInWords, dayOf } from './moments.js';

interface ShownSession {
  /** Browser and system, where they were recognised. */
  readonly device?: string | undefined;
  readonly signedInAt: Date;
  readonly lastUsedAt: Date;
  /** Ends it; the session of the browser that shows the page has none: its way out is the overview's. */
  readonly end?: FormView | undefined;
}

interface AccountSessionsPage extends AccountPage {
  /** The one of this browser first. */
  readonly sessions: readonly ShownSession[];
  /** Ends all but the one of this browser. */
  readonly endOthers: FormView;
  readonly now: Date;
}

/** Every browser that the account is open in. */
export function renderAccountSessionsPage(page: AccountSessionsPage): string {
  const { sessions: texts } = page.texts.account;
  const others = page.sessions.filter(({ end }) => end !== undefined).length;
  return renderAccountPage(page, {
    within: 'account',
    heading: texts.title,
    lead: texts.lead,
    body: [
      sectionList(page.sessions.map((session, index) => sectionOf(session, index + 1, page))),
      others > 0 &&
        form(
          page.endOthers,
          html`<button class="button quiet" type="submit" id="end-others" data-busy="${texts.ending}">
            ${texts.endOthers({ count: others })}
          </button>`,
        ),
    ],
  });
}

function sectionOf(
  session: ShownSession,
  number: number,
  { texts, now }: AccountSessionsPage,
): AccountSection {
  const { here, unknownDevice, signedIn, lastUsed, end, ending } = texts.account.sessions;
  const day = signedIn.html({ day: dayOf(session.signedInAt, texts) });
  return {
    id: `session-${number}`,
    heading: session.device ?? unknownDevice,
    state: [
      session.end === undefined
        ? html`<span class="state on">${here}</span>`
        : lastUsed.html({ when: agoInWords(session.lastUsedAt, now, texts) }),
      day,
    ],
    action: session.end && { form: session.end, label: end, busy: ending },
  };
}
