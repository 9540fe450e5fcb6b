import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ManagePasskeys } from '../../domain/passkeys/manage-passkeys.js';
import { RegisterPasskey } from '../../domain/passkeys/register-passkey.js';
import { registrationResponse } from '../../domain/passkeys/webauthn.js';
import { inPerson } from '../../domain/permissions/acting.js';
import { describeBrowser } from '../../domain/sessions/describe-browser.js';
import type { Session } from '../../domain/sessions/session.js';
import { Clock } from '../../domain/shared/clock.js';
import { UnitOfWork } from '../../domain/shared/unit-of-work.js';
import { renderAccountPasskeysPage } from '../../pages/account-passkeys-pages.js';
import { readQuery } from '../shared/oauth-form.js';
import { parsedJson } from '../shared/parsed-json.js';
import { redirectTo } from '../shared/redirect.js';
import { AccountController } from './account-controller.js';
import { AccountVisits } from './account-visits.js';
import { doneAt, noticeOf } from './notices.js';

const STEP = 'passkeys';
const PATH = '/account/security/passkeys';

/** The passkeys that somebody has, and one more: the page's script asks for a challenge, its form brings the answer. */
@AccountController(PATH)
export class PasskeysController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly passkeys: ManagePasskeys,
    private readonly registerPasskey: RegisterPasskey,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.openFresh(request, reply);
    if (visit === undefined) return;
    const { orgId, userId } = visit.session;
    const passkeys = await this.passkeys.list(orgId, userId);
    this.visits.send(
      request,
      reply,
      visit,
      (page) =>
        renderAccountPasskeysPage({
          ...page,
          notice: noticeOf(readQuery(request).get('done'), page.texts),
          passkeys: passkeys.map(({ id, name, lastUsedAt }) => ({ name, lastUsedAt, url: `${PATH}/${id}` })),
          form: this.visits.form(visit, STEP, PATH),
          challengePath: `${PATH}/challenge`,
          now: new Date(this.clock.nowMs()),
        }),
      200,
      true,
    );
  }

  @Post('challenge')
  async challenge(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submittedFresh(request, reply, STEP);
    if (submitted === undefined) return;
    const options = await this.registerPasskey.begin(whoOf(submitted.visit.session), 'preferred');
    void reply.header('cache-control', 'no-store').send(options);
  }

  @Post()
  async add(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submittedFresh(request, reply, STEP);
    if (submitted === undefined) return;
    const { visit, form } = submitted;
    const answer = registrationResponse.safeParse(parsedJson(form.get('credential')));
    if (!answer.success) return void redirectTo(reply, PATH, 303);
    const name = describeBrowser(request.headers['user-agent']) ?? 'Passkey';
    const store = await this.registerPasskey.prepare(whoOf(visit.session), answer.data, 'preferred');
    await this.unitOfWork.run((tx) => store(tx, name));
    void redirectTo(reply, doneAt(PATH, 'passkey'), 303);
  }
}

function whoOf({ id, orgId, userId, userAgentId }: Session) {
  return { orgId, userId, session: id, userAgentId, ...inPerson(userId) };
}
