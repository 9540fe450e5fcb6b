import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ChangeProfile } from '../../domain/accounts/change-profile.js';
import { findLocale, languages } from '../../domain/shared/locale.js';
import { UnitOfWork } from '../../domain/shared/unit-of-work.js';
import { renderAccountLanguagePage } from '../../pages/account-language-page.js';
import { PageLanguage } from '../shared/pages/page-language.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AccountController } from './account-controller.js';
import { AccountVisits, type AccountVisit } from './account-visits.js';
import { doneAt } from './notices.js';
import { ownChange } from './own-change.js';

const STEP = 'language';
const PATH = '/account/language';

/** The language that one is spoken to in. It counts at once: what was chosen for the visit before it is over. */
@AccountController(PATH)
export class LanguageController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly changeProfile: ChangeProfile,
    private readonly pageLanguage: PageLanguage,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.open(request, reply);
    if (visit === undefined) return;
    const form = this.visits.form(visit, STEP, PATH);
    this.visits.send(request, reply, visit, (page) =>
      renderAccountLanguagePage({ ...page, form, language: spokenOf(visit) }),
    );
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submitted(request, reply, STEP);
    if (submitted === undefined) return;
    const { visit, form } = submitted;
    const typed = form.get('preferredLanguage');
    const language = languages.find((tag) => tag === typed);
    if (typed !== undefined && language === undefined) return void redirectTo(reply, PATH, 303);
    // de-CH is more specific than the list, and is kept unchanged
    if (language !== spokenOf(visit)) {
      await this.unitOfWork.run((tx) => this.changeProfile.speak(tx, ownChange(visit), language));
    }
    this.pageLanguage.forget(reply);
    void redirectTo(reply, doneAt('/account', 'language'), 303);
  }
}

function spokenOf({ user }: AccountVisit) {
  return findLocale([user.profile.preferredLanguage ?? ''], languages);
}
