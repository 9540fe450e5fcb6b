import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EndSessionsOfUser } from '../../domain/accounts/end-sessions-of-user.js';
import { SessionsStore } from '../../domain/sessions/sessions.store.js';
import { Clock } from '../../domain/shared/clock.js';
import type { SessionId } from '../../domain/shared/ids.js';
import { UnitOfWork } from '../../domain/shared/unit-of-work.js';
import { renderAccountSessionsPage } from '../../pages/account-sessions-page.js';
import { readQuery } from '../shared/oauth-form.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AccountController } from './account-controller.js';
import { AccountVisits } from './account-visits.js';
import { doneAt, noticeOf } from './notices.js';
import { ownChange } from './own-change.js';

const STEP = 'sessions';
const PATH = '/account/sessions';

/** Where one is signed in, and signing out there. What is over already, by another tab or by itself, is as good as ended. */
@AccountController(PATH)
export class SessionsController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly sessions: SessionsStore,
    private readonly endSessions: EndSessionsOfUser,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.open(request, reply);
    if (visit === undefined) return;
    const { session: here } = visit;
    const found = await this.sessions.listOfUser(here.orgId, here.userId);
    const sessions = found
      .toSorted((a, b) => Number(b.id === here.id) - Number(a.id === here.id))
      .map(({ id, device, authenticatedAt, lastUsedAt }) => ({
        device,
        signedInAt: authenticatedAt,
        lastUsedAt,
        end: id === here.id ? undefined : this.visits.form(visit, STEP, PATH, { target: id }),
      }));
    this.visits.send(request, reply, visit, (page) =>
      renderAccountSessionsPage({
        ...page,
        notice: noticeOf(readQuery(request).get('done'), page.texts),
        sessions,
        endOthers: this.visits.form(visit, STEP, PATH),
        now: new Date(this.clock.nowMs()),
      }),
    );
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submitted(request, reply, STEP);
    if (submitted === undefined) return;
    const { visit, form } = submitted;
    const target = form.get('target') as SessionId | undefined;
    const own = ownChange(visit);
    await this.unitOfWork.run((tx) => this.endSessions.elsewhere(tx, own, visit.session.id, target));
    void redirectTo(reply, doneAt(PATH, target === undefined ? 'sessions' : 'session'), 303);
  }
}
