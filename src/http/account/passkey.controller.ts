import { Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ListPasskeys } from '../../domain/passkeys/manage/list-passkeys.js';
import { RemoveOwnPasskey } from '../../domain/passkeys/manage/remove-own-passkey.js';
import { passkeyNotFound } from '../../domain/passkeys/manage/remove-passkey.js';
import { RenamePasskey } from '../../domain/passkeys/manage/rename-passkey.js';
import { LONGEST_PASSKEY_NAME } from '../../domain/passkeys/passkey.js';
import { inPerson } from '../../domain/permissions/acting.js';
import type { Session } from '../../domain/sessions/session.js';
import type { PasskeyId } from '../../domain/shared/ids.js';
import { UnitOfWork } from '../../domain/shared/unit-of-work.js';
import { isLongerThan, isPlainText } from '../../domain/users/names/text-rules.js';
import { renderAccountPasskeyPage, type AccountPasskeyPage } from '../../pages/account-passkeys-pages.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { PathId } from '../shared/path-id.js';
import { AccountController } from './account-controller.js';
import { AccountVisits, type AccountVisit } from './account-visits.js';
import { doneAt } from './notices.js';
import { removeFactor } from './remove-factor.js';

const LIST = '/account/security/passkeys';
const PasskeyParam = () => Param('passkeyId', new PathId(passkeyNotFound));

/** One passkey: its name, and its end. What is gone already, in another tab, leads back to the list. */
@AccountController(`${LIST}/:passkeyId`)
export class PasskeyController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly listPasskeys: ListPasskeys,
    private readonly renamePasskey: RenamePasskey,
    private readonly removePasskey: RemoveOwnPasskey,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  @Get()
  async show(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @PasskeyParam() id: PasskeyId,
  ): Promise<void> {
    const visit = await this.visits.openFresh(request, reply);
    if (visit === undefined) return;
    const name = await this.nameOf(visit.session, id);
    if (name === undefined) return void redirectTo(reply, LIST, 302);
    this.showForm(request, reply, visit, id, { name });
  }

  @Post()
  async submit(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @PasskeyParam() id: PasskeyId,
  ): Promise<void> {
    const submitted = await this.visits.submittedFresh(request, reply, stepOf(id));
    if (submitted === undefined) return;
    const { visit, form } = submitted;
    const own = ownOf(visit.session);
    if (form.get('does') === 'remove') {
      const done = await removeFactor('passkeyRemoved', () =>
        this.unitOfWork.run((tx) => this.removePasskey.execute(tx, own, id)),
      );
      return void redirectTo(reply, doneAt(LIST, done), 303);
    }
    const typed = (form.get('name') ?? '').trim();
    const problem = problemOf(typed);
    if (problem !== undefined) {
      const name = (await this.nameOf(visit.session, id)) ?? typed;
      return this.showForm(request, reply, visit, id, { name, problem });
    }
    await this.unitOfWork.run((tx) => this.renamePasskey.execute(tx, own, id, typed));
    void redirectTo(reply, doneAt(LIST, 'passkeyNamed'), 303);
  }

  private async nameOf({ orgId, userId }: Session, id: PasskeyId): Promise<string | undefined> {
    return (await this.listPasskeys.execute(orgId, userId)).find((passkey) => passkey.id === id)?.name;
  }

  private showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    visit: AccountVisit,
    id: PasskeyId,
    view: Pick<AccountPasskeyPage, 'name' | 'problem'>,
  ): void {
    const path = `${LIST}/${id}`;
    this.visits.send(
      request,
      reply,
      visit,
      (page) =>
        renderAccountPasskeyPage({
          ...page,
          ...view,
          form: this.visits.form(visit, stepOf(id), path),
          remove: this.visits.form(visit, stepOf(id), path, { does: 'remove' }),
        }),
      { status: view.problem === undefined ? 200 : 400 },
    );
  }
}

function problemOf(name: string): AccountPasskeyPage['problem'] {
  if (name === '' || !isPlainText(name)) return 'name-missing';
  return isLongerThan(LONGEST_PASSKEY_NAME, name) ? 'name-too-long' : undefined;
}

/** A form for one passkey is good for no other. */
function stepOf(id: PasskeyId): string {
  return `passkey-${id}`;
}

function ownOf({ orgId, userId }: Session) {
  return { orgId, userId, ...inPerson(userId) };
}
