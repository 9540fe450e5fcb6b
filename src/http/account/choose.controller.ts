import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Session } from '../../domain/sessions/session.js';
import { UsersStore } from '../../domain/users/users.store.js';
import { renderChooseAccountPage, type ChoosableAccount } from '../../pages/choose-account-page.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AccountController } from './account-controller.js';
import { AccountVisits } from './account-visits.js';
import { ChosenAccount } from './chosen-account.js';

const STEP = 'choose';
const PATH = '/account/accounts';

/** Several people, or one with several accounts, are signed in with this browser: whose account is it about? */
@AccountController(PATH)
export class ChooseController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly chosen: ChosenAccount,
    private readonly users: UsersStore,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.open(request, reply);
    if (visit === undefined) return;
    const found = await Promise.all(visit.sessions.map((session) => this.accountOf(session)));
    const accounts = found.flatMap((account) => account ?? []);
    this.visits.send(request, reply, visit, (page) =>
      renderChooseAccountPage({ ...page, form: this.visits.form(visit, STEP, PATH), accounts }),
    );
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submitted(request, reply, STEP);
    if (submitted === undefined) return;
    const { visit, form } = submitted;
    const session = visit.sessions.find(({ id }) => id === form.get('account'));
    if (session === undefined) return void redirectTo(reply, '/login?destination=account', 303);
    this.chosen.remember(reply, session, visit.sessions);
    void redirectTo(reply, '/account', 303);
  }

  private async accountOf({ id, orgId, userId }: Session): Promise<ChoosableAccount | undefined> {
    const user = await this.users.find(orgId, userId);
    if (user?.type !== 'human') return undefined;
    const { loginName, profile } = user;
    return { id, loginName, displayName: profile.displayName, isSignedIn: true };
  }
}
