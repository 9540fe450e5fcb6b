import { Injectable } from '@nestjs/common';
import { ConsentsStore } from '../../domain/consents/consents.store.js';
import { LoginPolicies } from '../../domain/policies/login-policies.js';
import { SessionsStore } from '../../domain/sessions/sessions.store.js';
import { findLocale, languages } from '../../domain/shared/locale.js';
import type { HumanUser } from '../../domain/users/user.js';
import type { AccountSection } from '../../pages/account-layout.js';
import { isolated } from '../../pages/layout.js';
import { pageLanguages, type Texts } from '../../pages/texts.js';
import type { AccountVisit } from './account-visits.js';

/** What stands on `/account`, in this order: how things stand, and the way to each page. */
@Injectable()
export class OverviewSections {
  constructor(
    private readonly sessions: SessionsStore,
    private readonly consents: ConsentsStore,
    private readonly policies: LoginPolicies,
  ) {}

  /** Reads what there is to say, for whichever language. */
  async read({
    session: { orgId, userId },
    user,
  }: AccountVisit): Promise<(texts: Texts) => readonly AccountSection[]> {
    const [sessions, applications, { allowAccountDeletion }] = await Promise.all([
      this.sessions.listOfUser(orgId, userId),
      this.consents.listConnected({ orgId, userId }),
      this.policies.find(orgId),
    ]);
    return ({ account: texts, form }) => [
      {
        id: 'profile',
        heading: texts.profile.title,
        state: [isolated(user.profile.displayName)],
        action: { url: '/account/profile', label: texts.change },
      },
      emailSection(user, form.email, texts),
      phoneSection(user, texts),
      {
        id: 'security',
        heading: texts.security.title,
        state: texts.security.lead,
        action: { url: '/account/security', label: texts.open },
      },
      {
        id: 'sessions',
        heading: texts.sessions.title,
        state: texts.sessions.count({ count: sessions.length }),
        action: { url: '/account/sessions', label: texts.open },
      },
      {
        id: 'applications',
        heading: texts.applications.title,
        state:
          applications.length === 0
            ? texts.applications.none
            : texts.applications.count({ count: applications.length }),
        action: { url: '/account/applications', label: texts.open },
      },
      {
        id: 'language',
        heading: texts.language.title,
        state: languageOf(user) ?? texts.language.asBrowser,
        action: { url: '/account/language', label: texts.change },
      },
      {
        id: 'data',
        heading: texts.data.title,
        state: texts.data.state,
        action: { url: '/account/data', label: texts.open },
      },
      ...(allowAccountDeletion
        ? [
            {
              id: 'delete',
              heading: texts.delete.title,
              state: texts.delete.state,
              action: { url: '/account/delete', label: texts.open },
            },
          ]
        : []),
    ];
  }
}

type AccountTexts = Texts['account'];

function languageOf({ profile }: HumanUser): string | undefined {
  const spoken = findLocale([profile.preferredLanguage ?? ''], languages);
  return pageLanguages.find(({ tag }) => tag === spoken)?.name;
}

function emailSection({ email }: HumanUser, heading: string, texts: AccountTexts): AccountSection {
  const { address, pending } = email;
  if (pending === undefined) {
    const action = { url: '/account/email/change', label: texts.change };
    return { id: 'email', heading, state: [isolated(address)], action };
  }
  return {
    id: 'email',
    heading,
    state: [isolated(address), texts.email.waits.html({ address: isolated(pending) })],
    action: { url: '/account/email', label: texts.verify },
  };
}

function phoneSection({ phone }: HumanUser, texts: AccountTexts): AccountSection {
  const { title: heading, none, notVerified } = texts.phone;
  if (phone === undefined) {
    const action = { url: '/account/phone/change', label: texts.add };
    return { id: 'phone', heading, state: none, action };
  }
  const number = isolated(phone.number);
  if (phone.verified) {
    const action = { url: '/account/phone/change', label: texts.change };
    return { id: 'phone', heading, state: [number], action };
  }
  const action = { url: '/account/phone', label: texts.verify };
  return { id: 'phone', heading, state: [notVerified.html({ number })], action };
}
