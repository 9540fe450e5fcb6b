import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ChooseAccount } from '../../domain/authorize/flow/choose-account.js';
import { flowPath, FlowReplies } from '../shared/pages/flow-replies.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AccountList } from './account-list.js';
import { FlowForms } from './flow-forms.js';
import { RemoveAccount } from './remove-account.js';

/** The accounts of this browser: continue with one, remove one, or sign in with another. */
@Controller('login/accounts')
export class AccountsController {
  constructor(
    private readonly list: AccountList,
    private readonly removeAccount: RemoveAccount,
    private readonly chooseAccount: ChooseAccount,
    private readonly forms: FlowForms,
    private readonly replies: FlowReplies,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const flow = await this.forms.open(request, reply);
    if (flow === undefined) return;
    await this.list.show(request, reply, flow);
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.forms.submitted(request, reply, 'choose');
    if (submitted === undefined) return;
    const { form, flow } = submitted;
    const removed = form.get('remove');
    if (removed !== undefined) {
      await this.removeAccount.execute(request, reply, flow, removed);
      return void redirectTo(reply, flowPath('choose', flow.id), 303);
    }
    const account = form.get('account');
    if (account === undefined) return void redirectTo(reply, flowPath('sign-in', flow.id), 303);
    const result = await this.chooseAccount.execute(flow, account, (session) =>
      this.list.loginNameOf(session),
    );
    if (result.kind === 'password-needed' || result.kind === 'refused') {
      return void redirectTo(reply, flowPath('sign-in', flow.id), 303);
    }
    await this.replies.send(request, reply, result, flow);
  }
}
