import { Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readQuery } from '../shared/oauth-form.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AccountController } from './account-controller.js';
import { AccountVisits } from './account-visits.js';
import { CONFIRM_PATH, ConfirmPages } from './confirm-pages.js';
import { SignInAgain } from './sign-in-again.js';
import { accountPage, flowOfPage, WantedPage } from './wanted-page.js';

/** Asks for the fresh proof that pages want which change by what one signs in (`AccountVisits.openFresh`). */
@AccountController(CONFIRM_PATH)
export class ConfirmController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly pages: ConfirmPages,
    private readonly signInAgain: SignInAgain,
    private readonly wanted: WantedPage,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const query = readQuery(request);
    const next = query.get('next') ?? this.wanted.take(request, reply);
    const visit = await this.visits.openToProve(request, reply, flowOf(next));
    if (visit === undefined) return;
    if (await this.signInAgain.isNeeded(visit))
      return await this.signInAgain.send(request, reply, visit, next);
    const problem = query.get('problem') === 'idp-refused' ? 'idp-refused' : undefined;
    await this.pages.show(request, reply, visit, next, problem);
  }

  /** For whoever would rather sign in than show one thing. */
  @Get('sign-in')
  async anew(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const next = readQuery(request).get('next');
    const visit = await this.visits.openToProve(request, reply, flowOf(next));
    if (visit === undefined) return;
    await this.signInAgain.send(request, reply, visit, next);
  }

  /** Back from a provider with the proof. The page that asked for it checks that by itself. */
  @Get('done')
  done(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    void redirectTo(reply, this.wanted.take(request, reply) ?? '/account', 302);
  }
}

function flowOf(next: string | undefined): string | undefined {
  return flowOfPage(accountPage(next));
}
