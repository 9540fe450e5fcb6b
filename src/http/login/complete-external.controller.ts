import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Flow } from '../../domain/authorize/flow/find-flow.js';
import {
  CompleteExternalSignIn,
  type MissingClaims,
  type TypedClaims,
} from '../../domain/external-sign-in/complete-external-sign-in.js';
import { languages, lookupLocale } from '../../domain/shared/locale.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import { renderCompleteExternalPage } from '../../pages/complete-external-page.js';
import type { CompleteExternalProblem } from '../../pages/problems.js';
import { flowPageOptions, FlowReplies } from '../shared/pages/flow-replies.js';
import { Pages } from '../shared/pages/pages.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { statusOf } from '../shared/server/busy.js';
import { backTo, COMPLETE_PATH } from './external-return.js';
import { FlowForms, type SubmittedStep } from './flow-forms.js';
import { inFlow } from './flow-pages.js';

const STEP = 'complete-external';
const FIELDS = ['loginName', 'email', 'firstName', 'lastName'] as const;

/**
 * Somebody whom a provider sent without an address says which is theirs; a code is asked for next, as of whoever registers. Whose user
 * name is taken here chooses another.
 */
@Controller(COMPLETE_PATH.slice(1))
export class CompleteExternalController {
  constructor(
    private readonly complete: CompleteExternalSignIn,
    private readonly forms: FlowForms,
    private readonly pages: Pages,
    private readonly replies: FlowReplies,
    private readonly limits: AddressLimits,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const flow = await this.forms.open(request, reply);
    if (flow === undefined) return;
    const missing = await this.complete.find(flow);
    if (missing === undefined) return this.replies.sendOver(request, reply, flow);
    this.showForm(request, reply, flow, missing, missing.pending.typed ?? {}, []);
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.forms.submitted(request, reply, STEP);
    if (submitted === undefined) return;
    const { form, flow } = submitted;
    const missing = await this.complete.find(flow);
    if (missing === undefined) return this.replies.sendOver(request, reply, flow);
    const typed = typedClaims(form);
    const problems = this.complete.problemsOf(missing, typed);
    if (problems.length > 0) return this.showForm(request, reply, flow, missing, typed, problems);
    if (missing.asks === 'loginName') return await this.chooseName(request, reply, submitted, missing, typed);
    const wait = await this.limits.countMailRequest(request);
    if (wait !== undefined) {
      void reply.header('retry-after', String(wait));
      return this.showForm(request, reply, flow, missing, typed, ['too-many-attempts']);
    }
    const from = { locale: localeOf(form), source: request.ip };
    const result = await this.complete.execute(flow, missing, typed, from);
    if ('problems' in result) return this.showForm(request, reply, flow, missing, typed, result.problems);
    void redirectTo(reply, `/register/verify?id=${result.registration}`, 303);
  }

  /** A taken name is reported, so each attempt counts like a wrong password, to stop enumeration. */
  private async chooseName(
    request: FastifyRequest,
    reply: FastifyReply,
    { form, flow, secret }: SubmittedStep,
    missing: MissingClaims,
    typed: TypedClaims,
  ): Promise<void> {
    const tried = await this.limits.tryProof(request, async () => {
      const result = await this.complete.chooseName(flow, secret, missing, typed, localeOf(form));
      return { result, failed: result.kind === 'again' };
    });
    if ('wait' in tried) {
      void reply.header('retry-after', String(tried.wait));
      return this.showForm(request, reply, flow, missing, typed, ['too-many-attempts']);
    }
    const chosen = tried.result;
    switch (chosen.kind) {
      case 'entered':
        return await this.replies.send(request, reply, chosen.result, flow);
      case 'again':
        return this.showForm(request, reply, flow, missing, typed, chosen.problems);
      case 'problem':
        return void redirectTo(reply, backTo(flow.id, chosen.problem), 303);
    }
  }

  private showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow,
    { pending, asks, names }: MissingClaims,
    typed: TypedClaims,
    problems: readonly CompleteExternalProblem[],
  ): void {
    this.pages.send(
      request,
      reply,
      (page) =>
        renderCompleteExternalPage({
          ...page,
          ...typed,
          problems,
          asks,
          names,
          takenName: pending.takenName,
          mayBeTheirs: pending.userId !== null,
          providerName: pending.providerName,
          form: { ...this.forms.view(flow, STEP, COMPLETE_PATH), hidden: { locale: page.texts.language } },
          signInUrl: inFlow('/login', flow),
        }),
      flowPageOptions(flow, statusOf(problems)),
    );
  }
}

function typedClaims(form: OAuthParameters): TypedClaims {
  const [loginName, email, firstName, lastName] = FIELDS.map((name) => form.get(name));
  return { loginName, email, firstName, lastName };
}

/** The mail and the account speak the language of the page. */
function localeOf(form: OAuthParameters): string {
  return lookupLocale([form.get('locale') ?? ''], languages);
}
