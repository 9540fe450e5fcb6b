import { Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ConnectedApplicationsStore } from '../../domain/consents/connected-applications.store.js';
import { SessionsStore } from '../../domain/sessions/sessions.store.js';
import type { HumanUser } from '../../domain/users/user.js';
import type { AccountSection } from '../../pages/account-layout.js';
import { renderAccountOverviewPage } from '../../pages/account-overview-page.js';
import { isolated } from '../../pages/layout.js';
import type { Texts } from '../../pages/texts.js';
import { readQuery } from '../shared/oauth-form.js';
import { AccountController } from './account-controller.js';
import { AccountVisits, type AccountVisit } from './account-visits.js';
import { noticeOf } from './notices.js';

/** `/account`: one's own account at a glance. */
@AccountController('account')
export class OverviewController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly sessions: SessionsStore,
    private readonly applications: ConnectedApplicationsStore,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.open(request, reply);
    if (visit === undefined) return;
    const { user } = visit;
    const sections = await this.readSections(visit);
    this.visits.send(request, reply, visit, (page) =>
      renderAccountOverviewPage({
        ...page,
        loginName: user.loginName,
        displayName: user.profile.displayName,
        notice: noticeOf(readQuery(request).get('done'), page.texts),
        sections: sections(page.texts),
        otherAccountUrl: visit.sessions.length > 1 ? '/account/accounts' : '/login?destination=account',
        signOutUrl: '/oidc/v1/end_session',
      }),
    );
  }

  /** Reads how things stand, for whichever language. */
  private async readSections({
    session: { orgId, userId },
    user,
  }: AccountVisit): Promise<(texts: Texts) => readonly AccountSection[]> {
    const [sessions, applications] = await Promise.all([
      this.sessions.listOfUser(orgId, userId),
      this.applications.listOfUser({ orgId, userId }),
    ]);
    return ({ account: texts, form }) => [
      {
        id: 'profile',
        heading: texts.profile.title,
        state: user.profile.displayName,
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
    ];
  }
}

type AccountTexts = Texts['account'];

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
  return phone.verified
    ? { id: 'phone', heading, state: [number], action: { url: '/account/phone/change', label: texts.change } }
    : {
        id: 'phone',
        heading,
        state: [notVerified.html({ number })],
        action: { url: '/account/phone', label: texts.verify },
      };
}
