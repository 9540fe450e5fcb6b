import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { askedKinds, FactorsStore } from '../../domain/factors/factors.store.js';
import { ListPasskeys } from '../../domain/passkeys/manage/list-passkeys.js';
import { passkeyRefusalOf, type PasskeyRefusal } from '../../domain/passkeys/passkey-refusal.js';
import { RegisterPasskey } from '../../domain/passkeys/register/register-passkey.js';
import type { RegistrationResponse } from '../../domain/passkeys/webauthn.js';
import { inPerson } from '../../domain/permissions/acting.js';
import { describeBrowser } from '../../domain/sessions/describe-browser.js';
import type { Session } from '../../domain/sessions/session.js';
import { Clock } from '../../domain/shared/clock.js';
import { UnitOfWork } from '../../domain/shared/unit-of-work.js';
import { renderAccountPasskeysPage } from '../../pages/account-passkeys-pages.js';
import { readQuery } from '../shared/oauth-form.js';
import { readRegistration } from '../shared/pages/passkey-answer.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AccountController } from './account-controller.js';
import { AccountVisits, type AccountVisit } from './account-visits.js';
import { doneAt, noticeOf } from './notices.js';

const STEP = 'passkeys';
const PATH = '/account/security/passkeys';
/** For whoever has just got something that they stand in for. */
const CODES = '/account/security/recovery-codes';

/** The passkeys that somebody has, and one more: the page's script asks for a challenge, its form brings the answer. */
@AccountController(PATH)
export class PasskeysController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly listPasskeys: ListPasskeys,
    private readonly registerPasskey: RegisterPasskey,
    private readonly factors: FactorsStore,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.openFresh(request, reply);
    if (visit !== undefined) await this.showList(request, reply, visit);
  }

  @Post('challenge')
  async challenge(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submittedFresh(request, reply, STEP, PATH);
    if (submitted === undefined) return;
    const options = await this.registerPasskey.begin(whoOf(submitted.visit.session), 'preferred');
    void reply.header('cache-control', 'no-store').send(options);
  }

  @Post()
  async add(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submittedFresh(request, reply, STEP);
    if (submitted === undefined) return;
    const { visit, form } = submitted;
    const answer = readRegistration(form.get('credential'));
    const refusal = answer === undefined ? 'passkey-refused' : await this.store(request, visit, answer);
    if (refusal !== undefined) return await this.showList(request, reply, visit, refusal);
    const usable = await this.factors.findUsable(visit.session.userId);
    const isFirst = usable.passkeys === 1 && askedKinds(usable).length === 1 && usable.recoveryCodes === 0;
    void redirectTo(reply, doneAt(isFirst ? CODES : PATH, 'passkey'), 303);
  }

  /** @returns why it was not kept */
  private async store(
    request: FastifyRequest,
    { session }: AccountVisit,
    answer: RegistrationResponse,
  ): Promise<PasskeyRefusal | undefined> {
    const name = describeBrowser(request.headers['user-agent']) ?? 'Passkey';
    try {
      const store = await this.registerPasskey.prepare(whoOf(session), answer, 'preferred');
      await this.unitOfWork.run((tx) => store(tx, name));
      return undefined;
    } catch (error) {
      const refusal = passkeyRefusalOf(error);
      if (refusal === undefined) throw error;
      return refusal;
    }
  }

  private async showList(
    request: FastifyRequest,
    reply: FastifyReply,
    visit: AccountVisit,
    refusal?: PasskeyRefusal,
  ): Promise<void> {
    const { orgId, userId } = visit.session;
    const passkeys = await this.listPasskeys.execute(orgId, userId);
    this.visits.send(
      request,
      reply,
      visit,
      (page) =>
        renderAccountPasskeysPage({
          ...page,
          refusal,
          notice: refusal === undefined ? noticeOf(readQuery(request).get('done'), page.texts) : undefined,
          passkeys: passkeys.map(({ id, name, lastUsedAt, counterWentBackAt }) => ({
            name,
            lastUsedAt,
            maybeCopied: counterWentBackAt !== undefined,
            url: `${PATH}/${id}`,
          })),
          form: this.visits.form(visit, STEP, PATH),
          address: PATH,
          challengePath: `${PATH}/challenge`,
          now: new Date(this.clock.nowMs()),
        }),
      { status: refusal === undefined ? 200 : 400, passkeys: true },
    );
  }
}

function whoOf({ id, orgId, userId, userAgentId }: Session) {
  return { orgId, userId, session: id, userAgentId, ...inPerson(userId) };
}
