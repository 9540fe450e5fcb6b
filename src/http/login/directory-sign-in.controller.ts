import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SignInByDirectory, type DirectoryForm } from '../../domain/external-sign-in/sign-in-by-directory.js';
import { identityProviderNotFound } from '../../domain/identity-providers/manage-identity-providers.js';
import type { IdentityProviderId } from '../../domain/shared/ids.js';
import { renderDirectoryPage } from '../../pages/directory-page.js';
import type { SignInProblem } from '../../pages/problems.js';
import { AddressLimits } from '../shared/address-limits.js';
import { statusOf } from '../shared/busy.js';
import { Csrf } from '../shared/csrf.js';
import { ErrorPages } from '../shared/error-pages.js';
import { flowPageOptions, flowPath, FlowReplies } from '../shared/flow-replies.js';
import { readForm, readQuery } from '../shared/oauth-form.js';
import { Pages } from '../shared/pages.js';
import { PathId } from '../shared/path-id.js';
import { SsoCookie } from '../shared/sso-cookie.js';
import { ExternalReturn } from './external-return.js';

const Provider = () => Param('id', new PathId(identityProviderNotFound));

interface Typed {
  readonly loginName?: string | undefined;
  readonly problem?: SignInProblem | undefined;
}

/** The form of a directory, which has no page of its own to send people to. */
@Controller('login/idps/:id/directory')
export class DirectorySignInController {
  constructor(
    private readonly directory: SignInByDirectory,
    private readonly returns: ExternalReturn,
    private readonly replies: FlowReplies,
    private readonly ssoCookie: SsoCookie,
    private readonly csrf: Csrf,
    private readonly errorPages: ErrorPages,
    private readonly pages: Pages,
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
    const form = await this.directory.find(this.placeIn(request, id, state));
    if (form === undefined) return this.replies.sendExpired(request, reply, undefined);
    this.send(request, reply, form, state, { loginName: query.get('hint')?.slice(0, 200) });
  }

  @Post()
  async submit(
    @Provider() id: IdentityProviderId,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const typed = readForm(request);
    const state = typed.get('state') ?? '';
    if (!this.csrf.holds(request, typed.get('csrf'), 'directory', id, state)) {
      return void this.errorPages.send(request, reply, 'form', 403);
    }
    const form = await this.directory.find(this.placeIn(request, id, state));
    if (form === undefined) return this.replies.sendExpired(request, reply, undefined);
    const [loginName, password] = [typed.get('loginName'), typed.get('password')];
    if (loginName === undefined) {
      return this.send(request, reply, form, state, { problem: 'login-name-missing' });
    }
    if (password === undefined) {
      return this.send(request, reply, form, state, { loginName, problem: 'password-missing' });
    }
    const tried = await this.limits.tryPassword(request, async () => {
      const result = await this.directory.check(form, loginName, password);
      return { result, failed: result === 'wrong-credentials' };
    });
    if ('wait' in tried) {
      void reply.header('retry-after', String(tried.wait));
      return this.send(request, reply, form, state, { loginName, problem: 'too-many-attempts' });
    }
    const { result } = tried;
    if (typeof result === 'string') {
      return this.send(request, reply, form, state, { loginName, problem: result });
    }
    await this.returns.finish(request, reply, id, new URLSearchParams({ state }), result);
  }

  private send(
    request: FastifyRequest,
    reply: FastifyReply,
    { provider, flow }: DirectoryForm,
    state: string,
    typed: Typed,
  ): void {
    const status = statusOf(typed.problem && [typed.problem]);
    const action = `/login/idps/${encodeURIComponent(provider.id)}/directory`;
    const csrf = this.csrf.token('directory', provider.id, state);
    this.pages.send(
      request,
      reply,
      (page) =>
        renderDirectoryPage({
          ...page,
          ...typed,
          form: { action, csrf, hidden: { state } },
          state,
          provider: provider.name,
          signInUrl: flow && flowPath('sign-in', flow.id),
        }),
      flow === undefined ? { status } : flowPageOptions(flow, status),
    );
  }

  private placeIn(request: FastifyRequest, providerId: IdentityProviderId, state: string) {
    return { providerId, state, userAgentSecret: this.ssoCookie.read(request) };
  }
}
