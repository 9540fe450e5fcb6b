import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ChangeProfile } from '../../domain/accounts/change-profile.js';
import { UnitOfWork } from '../../domain/shared/unit-of-work.js';
import { renderAccountProfilePage, type AccountProfilePage } from '../../pages/account-profile-page.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AccountController } from './account-controller.js';
import { AccountVisits, type AccountVisit } from './account-visits.js';
import { ManagedProfile } from './managed-profile.js';
import { doneAt } from './notices.js';
import { ownChange } from './own-change.js';
import {
  edited,
  nameProblems,
  readFurther,
  shownMark,
  touchedIn,
  typedIn,
  valuesOf,
  type Values,
} from './own-profile.js';

const STEP = 'profile';
const PATH = '/account/profile';

/** What one is called, and what else applications may ask for about oneself. */
@AccountController(PATH)
export class ProfileController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly changeProfile: ChangeProfile,
    private readonly managed: ManagedProfile,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.open(request, reply);
    if (visit === undefined) return;
    const values = valuesOf(visit.user.profile);
    await this.showForm(request, reply, visit, values, { was: shownMark(values) });
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submitted(request, reply, STEP);
    if (submitted === undefined) return;
    const { visit, form } = submitted;
    const was = form.get('was');
    const typed = typedIn(form);
    const touched = touchedIn(typed, was);
    const problems = nameProblems(typed, touched);
    const further = readFurther(typed, touched);
    if (problems.length > 0 || 'faults' in further) {
      const faults = 'faults' in further ? further.faults : [];
      const hidden: Readonly<Record<string, string>> = was === undefined ? {} : { was };
      return await this.showForm(request, reply, visit, typed, hidden, { problems, faults });
    }
    await this.unitOfWork.run((tx) =>
      this.changeProfile.edit(tx, ownChange(visit), (before) => edited(before, typed, further.read, touched)),
    );
    void redirectTo(reply, doneAt('/account', 'profile'), 303);
  }

  private async showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    visit: AccountVisit,
    values: Values,
    hidden: Readonly<Record<string, string>>,
    refused?: Pick<AccountProfilePage, 'problems' | 'faults'>,
  ): Promise<void> {
    const form = this.visits.form(visit, STEP, PATH, hidden);
    const managed = await this.managed.of(visit);
    const { firstName, lastName, displayName, ...further } = values;
    const shown = { firstName, lastName, displayName, further, managed, ...refused };
    this.visits.send(request, reply, visit, (page) => renderAccountProfilePage({ ...page, ...shown, form }), {
      status: refused === undefined ? 200 : 400,
    });
  }
}
