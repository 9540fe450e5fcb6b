import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CheckDirectoryPassword } from '../../domain/external-sign-in/directory/check-directory-password.js';
import { identityProviderNotFound } from '../../domain/identity-providers/manage-identity-providers.js';
import type { IdentityProviderId } from '../../domain/shared/ids.js';
import { readForm, readQuery } from '../shared/oauth-form.js';
import { ErrorPages } from '../shared/pages/error-pages.js';
import { FlowReplies } from '../shared/pages/flow-replies.js';
import { PathId } from '../shared/path-id.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { DirectoryForms } from './directory-forms.js';
import { ExternalReturn } from './external-return.js';

const Provider = () => Param('id', new PathId(identityProviderNotFound));

/** The form of a directory, which has no page of its own to send people to. */
@Controller('login/idps/:id/directory')
export class DirectorySignInController {
  constructor(
    private readonly forms: DirectoryForms,
    private readonly checkPassword: CheckDirectoryPassword,
    private readonly returns: ExternalReturn,
    private readonly replies: FlowReplies,
    private readonly errorPages: ErrorPages,
    private readonly limits: AddressLimits,
  ) {}

  @Get()
  async show(
    @Provider() id: IdentityProviderId,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const query = readQuery(request);
    const state = query.get('state') ?? '';
    const form = await this.forms.find(request, id, state);
    if (form === undefined) return this.replies.sendExpired(request, reply, undefined);
    this.forms.show(request, reply, form, state, { loginName: query.get('hint')?.slice(0, 200) });
  }

  @Post()
  async submit(
    @Provider() id: IdentityProviderId,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const typed = readForm(request);
    const state = typed.get('state') ?? '';
    if (!this.forms.holds(request, id, state, typed.get('csrf'))) {
      return void this.errorPages.send(request, reply, 'form', 403);
    }
    const form = await this.forms.find(request, id, state);
    if (form === undefined) return this.replies.sendExpired(request, reply, undefined);
    const [loginName, password] = [typed.get('loginName'), typed.get('password')];
    if (loginName === undefined) {
      return this.forms.show(request, reply, form, state, { problem: 'login-name-missing' });
    }
    if (password === undefined) {
      return this.forms.show(request, reply, form, state, { loginName, problem: 'password-missing' });
    }
    const tried = await this.limits.tryProof(request, async () => {
      const result = await this.checkPassword.execute(form, loginName, password);
      return { result, failed: result === 'wrong-credentials' };
    });
    if ('wait' in tried) {
      void reply.header('retry-after', String(tried.wait));
      return this.forms.show(request, reply, form, state, { loginName, problem: 'too-many-attempts' });
    }
    const { result } = tried;
    if (typeof result === 'string') {
      return this.forms.show(request, reply, form, state, { loginName, problem: result });
    }
    await this.returns.finish(request, reply, id, new URLSearchParams({ state }), result);
  }
}
