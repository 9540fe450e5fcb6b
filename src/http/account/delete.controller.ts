import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DeleteUser } from '../../domain/accounts/delete-user.js';
import { LoginPolicies } from '../../domain/policies/login-policies.js';
import { UnitOfWork } from '../../domain/shared/unit-of-work.js';
import { canonicalName } from '../../domain/users/names/canonical-name.js';
import {
  renderAccountDeletedPage,
  renderAccountDeletePage,
  type AccountDeletePage,
} from '../../pages/account-delete-page.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { StateCookie } from '../shared/pages/state-cookie.js';
import { AccountController } from './account-controller.js';
import { AccountVisits, type AccountVisit } from './account-visits.js';
import { ownChange } from './own-change.js';
import { unlessRefused } from './unless-refused.js';

const STEP = 'delete';
const PATH = '/account/delete';
const REFUSALS = {
  'COMMAND-f2Nq7': 'last-instance-owner',
  'COMMAND-o7Lw3': 'last-organization-owner',
  'COMMAND-d4Ny8': 'not-allowed',
} as const;

/** The end of one's own account, where the organization lets its users do that. */
@AccountController(PATH)
export class DeleteController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly policies: LoginPolicies,
    private readonly deleteUser: DeleteUser,
    private readonly unitOfWork: UnitOfWork,
    private readonly stateCookie: StateCookie,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.openFresh(request, reply);
    if (visit === undefined) return;
    const { allowAccountDeletion } = await this.policies.find(visit.session.orgId);
    if (!allowAccountDeletion) return void redirectTo(reply, '/account', 302);
    this.showForm(request, reply, visit);
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submittedFresh(request, reply, STEP);
    if (submitted === undefined) return;
    const { visit, form } = submitted;
    const typed = canonicalName(form.get('confirmation')?.trim() ?? '');
    if (typed !== canonicalName(visit.user.userName)) {
      return this.showForm(request, reply, visit, { problem: 'name-differs' });
    }
    const tried = await unlessRefused(REFUSALS, () =>
      this.unitOfWork.run((tx) => this.deleteUser.executeOwn(tx, ownChange(visit))),
    );
    if ('problem' in tried) return this.showForm(request, reply, visit, { refusal: tried.problem });
    await this.stateCookie.refresh(reply, visit.secret);
    this.visits.send(request, reply, visit, renderAccountDeletedPage);
  }

  private showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    visit: AccountVisit,
    state: Pick<AccountDeletePage, 'problem' | 'refusal'> = {},
  ): void {
    const { loginName, userName, profile } = visit.user;
    this.visits.send(
      request,
      reply,
      visit,
      (page) =>
        renderAccountDeletePage({
          ...page,
          ...state,
          form: this.visits.form(visit, STEP, PATH),
          loginName,
          userName,
          displayName: profile.displayName,
        }),
      { status: state.problem === undefined && state.refusal === undefined ? 200 : 400 },
    );
  }
}
