import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ChangeProfile } from '../../domain/accounts/change-profile.js';
import { UnitOfWork } from '../../domain/shared/unit-of-work.js';
import { readNames, type TypedNames } from '../../domain/users/names/typed-names.js';
import { usualDisplayName } from '../../domain/users/profile-replacement.js';
import { renderAccountProfilePage, type AccountProfilePage } from '../../pages/account-profile-page.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AccountController } from './account-controller.js';
import { AccountVisits, type AccountVisit } from './account-visits.js';
import { doneAt } from './notices.js';
import { ownChange } from './own-change.js';

const STEP = 'profile';
const PATH = '/account/profile';

/** What one is called. */
@AccountController(PATH)
export class ProfileController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly changeProfile: ChangeProfile,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.open(request, reply);
    if (visit === undefined) return;
    const { firstName, lastName, displayName } = visit.user.profile;
    const chosen = displayName === usualDisplayName({ firstName, lastName }) ? undefined : displayName;
    this.showForm(request, reply, visit, { firstName, lastName, displayName: chosen });
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submitted(request, reply, STEP);
    if (submitted === undefined) return;
    const { visit, form } = submitted;
    const typed: TypedNames = {
      firstName: form.get('firstName'),
      lastName: form.get('lastName'),
      displayName: form.get('displayName'),
    };
    const read = readNames(typed);
    if ('problems' in read) return this.showForm(request, reply, visit, { ...typed, ...read });
    await this.unitOfWork.run((tx) => this.changeProfile.rename(tx, ownChange(visit), read.names));
    void redirectTo(reply, doneAt('/account', 'profile'), 303);
  }

  private showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    visit: AccountVisit,
    view: Pick<AccountProfilePage, 'firstName' | 'lastName' | 'displayName' | 'problems'>,
  ): void {
    this.visits.send(
      request,
      reply,
      visit,
      (page) => renderAccountProfilePage({ ...page, ...view, form: this.visits.form(visit, STEP, PATH) }),
      view.problems === undefined ? 200 : 400,
    );
  }
}
