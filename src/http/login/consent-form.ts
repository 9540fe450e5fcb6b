import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Flow } from '../../domain/authorize/flow/find-flow.js';
import { shownUserCode } from '../../domain/device-authorizations/device-authorization.js';
import type { ManagementAccess } from '../../domain/permissions/management-access.js';
import type { Session } from '../../domain/sessions/session.js';
import { TokensStore } from '../../domain/tokens/tokens.store.js';
import { renderConsentPage } from '../../pages/consent-page.js';
import { flowPageOptions, flowPath, FlowReplies } from '../shared/pages/flow-replies.js';
import { Pages } from '../shared/pages/pages.js';
import { ConsentAskers } from './consent-askers.js';
import { FlowForms } from './flow-forms.js';

/** The page on which somebody sees who gets what, before they agree. */
@Injectable()
export class ConsentForm {
  constructor(
    private readonly askers: ConsentAskers,
    private readonly tokens: TokensStore,
    private readonly forms: FlowForms,
    private readonly replies: FlowReplies,
    private readonly pages: Pages,
  ) {}

  async show(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow,
    session: Session,
    access: ManagementAccess,
  ): Promise<void> {
    const { application, request: asked } = flow;
    const subject = await this.tokens.findSubject(session.userId);
    const asker = application && asked && (await this.askers.find(application, asked, request.ip));
    if (subject === undefined || application === undefined || asked === undefined || asker === undefined) {
      return this.replies.sendOver(request, reply, flow);
    }
    const { owner, device, newcomer, asks, clientLinks } = asker;
    const form = this.forms.view(flow, 'consent', '/login/consent');
    this.pages.send(
      request,
      reply,
      (page) =>
        renderConsentPage({
          ...page,
          form: { ...form, hidden: { account: session.id, access } },
          applicationName: application.name,
          owner: { name: owner.name, domain: owner.primaryDomain },
          access,
          ownAccount: access === 'instance' || session.orgId === application.orgId,
          returnsTo: device === undefined ? targetOf(asked.redirectUri) : undefined,
          device: device && { code: shownUserCode(device.userCode), askedFrom: device.askedFrom },
          newcomer,
          asks,
          clientLinks,
          loginName: subject.loginName,
          displayName: subject.claims.kind === 'human' ? subject.claims.displayName : undefined,
          otherAccountUrl: flowPath('sign-in', flow.id),
        }),
      // to refuse is one of its own two buttons
      { ...flowPageOptions(flow), cancels: undefined },
    );
  }
}

/** What people know a redirect URI by: its host, or the scheme of an application on their device. */
function targetOf(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri);
  return protocol === 'https:' || protocol === 'http:' ? host : protocol.replace(/:$/, '');
}
