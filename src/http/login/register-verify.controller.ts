import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FinishRegistration } from '../../domain/registration/finish/finish-registration.js';
import { ErrorPages } from '../shared/pages/error-pages.js';
import { FlowReplies } from '../shared/pages/flow-replies.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { COMPLETE_PATH } from './external-return.js';
import { inFlow } from './flow-pages.js';
import { codeOfLink, MailLinks } from './mail-links.js';
import { RegisterForms } from './register-forms.js';
import { RegistrationPages } from './registration-pages.js';

/**
 * The code of a registration: typed in where the form was sent, or brought there by the link of the mail. Any other
 * browser shows that it has to be finished in the one that began it.
 */
@Controller('register/verify')
export class RegisterVerifyController {
  constructor(
    private readonly registrationPages: RegistrationPages,
    private readonly finishRegistration: FinishRegistration,
    private readonly registerForms: RegisterForms,
    private readonly replies: FlowReplies,
    private readonly errorPages: ErrorPages,
    private readonly links: MailLinks,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const opened = await this.registrationPages.open(request, reply);
    if (opened === undefined) return;
    if (!opened.pending.live) return void this.errorPages.sendLinkOver(request, reply);
    this.registrationPages.showForm(request, reply, opened, { code: codeOfLink(opened.parameters) });
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.registrationPages.submitted(request, reply);
    if (submitted === undefined) return;
    const { pending, flow, userAgentSecret, parameters: form } = submitted;
    if (!pending.live) return void this.errorPages.sendLinkOver(request, reply);
    const code = form.get('code');
    if (code === undefined) {
      return this.registrationPages.showForm(request, reply, submitted, { problem: 'code-missing' });
    }
    const result = await this.links.tryCode(request, reply, async () => {
      const finished = await this.finishRegistration.execute({ id: pending.id, code, flow, userAgentSecret });
      return { result: finished, failed: finished.kind === 'wrong-code' };
    });
    if (result === undefined) return;
    switch (result.kind) {
      case 'entered':
        return await this.replies.send(request, reply, result.result, flow);
      case 'flow-over':
        return this.registrationPages.sendElsewhere(request, reply, pending);
      case 'wrong-code':
        return this.registrationPages.showForm(request, reply, submitted, {
          code,
          problem: 'code-not-valid',
        });
      case 'name-taken':
        return void redirectTo(reply, inFlow(COMPLETE_PATH, flow), 303);
      case 'taken':
        return await this.registerForms.sendAgain(request, reply, flow, {
          email: result.names.email,
          loginName: result.names.loginName,
          problems: [result.problem],
        });
      case 'over':
        return void this.errorPages.sendLinkOver(request, reply);
      case 'off':
        return void this.errorPages.send(request, reply, 'registration-off', 403);
    }
  }
}
