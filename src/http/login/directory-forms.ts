import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  FindDirectoryForm,
  type DirectoryForm,
} from '../../domain/external-sign-in/directory/find-directory-form.js';
import type { IdentityProviderId } from '../../domain/shared/ids.js';
import { renderDirectoryPage } from '../../pages/directory-page.js';
import type { SignInProblem } from '../../pages/problems.js';
import { Csrf } from '../shared/pages/csrf.js';
import { flowPageOptions, flowPath } from '../shared/pages/flow-replies.js';
import { Pages } from '../shared/pages/pages.js';
import { SsoCookie } from '../shared/pages/sso-cookie.js';
import { statusOf } from '../shared/server/busy.js';

interface Typed {
  readonly loginName?: string | undefined;
  readonly problem?: SignInProblem | undefined;
}

/** The page with the form of a directory, which is good for one sign-in in one browser. */
@Injectable()
export class DirectoryForms {
  constructor(
    private readonly findForm: FindDirectoryForm,
    private readonly ssoCookie: SsoCookie,
    private readonly csrf: Csrf,
    private readonly pages: Pages,
  ) {}

  async find(
    request: FastifyRequest,
    providerId: IdentityProviderId,
    state: string,
  ): Promise<DirectoryForm | undefined> {
    return await this.findForm.find({ providerId, state, userAgentSecret: this.ssoCookie.read(request) });
  }

  /** Whether what was submitted is of this page. */
  holds(request: FastifyRequest, id: IdentityProviderId, state: string, token: string | undefined): boolean {
    return this.csrf.holds(request, token, 'directory', id, state);
  }

  show(
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
}
