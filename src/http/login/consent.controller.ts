import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUnknownHere, type BrowserApplication } from '../../domain/applications/application.js';
import { ContinueFlow } from '../../domain/authorize/continue-flow.js';
import type { Flow } from '../../domain/authorize/find-flow.js';
import { FindClientLinks } from '../../domain/client-registration/client-links.js';
import { ClientLogos } from '../../domain/client-registration/client-logos.js';
import { shownUserCode } from '../../domain/device-authorizations/device-authorization.js';
import { DeviceAuthorizationsStore } from '../../domain/device-authorizations/device-authorizations.store.js';
import { OrganizationsStore } from '../../domain/organizations/organizations.store.js';
import { MANAGEMENT_ACCESS, type ManagementAccess } from '../../domain/permissions/management-access.js';
import { logoPath } from '../../domain/policies/logo.js';
import { ProjectsStore } from '../../domain/projects/projects.store.js';
import type { Session } from '../../domain/sessions/session.js';
import { audienceProject } from '../../domain/tokens/scopes.js';
import { TokensStore } from '../../domain/tokens/tokens.store.js';
import { renderConsentPage } from '../../pages/consent-page.js';
import { flowPageOptions, flowPath, FlowReplies } from '../shared/flow-replies.js';
import { Pages } from '../shared/pages.js';
import { redirectTo } from '../shared/redirect.js';
import { FlowForms } from './flow-forms.js';

/**
 * In the middle of a sign-in: before an application gets a token for the service's own APIs, or one that registered itself gets
 * any, its user sees who gets what and agrees. The form names the session and the access that the page showed: what was agreed to is that, for
 * that user, whatever has changed in another tab or at the application meanwhile.
 */
@Controller('login/consent')
export class ConsentController {
  constructor(
    private readonly continueFlow: ContinueFlow,
    private readonly organizations: OrganizationsStore,
    private readonly tokens: TokensStore,
    private readonly devices: DeviceAuthorizationsStore,
    private readonly projects: ProjectsStore,
    private readonly clientLinks: FindClientLinks,
    private readonly clientLogos: ClientLogos,
    private readonly forms: FlowForms,
    private readonly replies: FlowReplies,
    private readonly pages: Pages,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const flow = await this.forms.open(request, reply);
    if (flow === undefined) return;
    const { session } = flow;
    if (session === undefined || session.step !== undefined)
      return this.replies.sendOver(request, reply, flow);
    const access = await this.continueFlow.consentAsked(flow, session);
    // agreed to in another tab, or not to be had any longer: what follows says so
    if (access === undefined) return await this.forms.goOn(request, reply, flow, session);
    await this.showForm(request, reply, flow, session, access);
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.forms.submitted(request, reply, 'consent');
    if (submitted === undefined) return;
    const { form, flow } = submitted;
    const { session } = flow;
    if (session === undefined || session.step !== undefined)
      return this.replies.sendOver(request, reply, flow);
    const decision = form.get('decision');
    const access = levelOf(form.get('access'));
    // somebody else has signed in since the page was shown: they see their own
    if (access === undefined || form.get('account') !== session.id || decision === undefined) {
      return void redirectTo(reply, flowPath('consent', flow.id), 303);
    }
    const result =
      decision === 'allow'
        ? await this.continueFlow.agree(flow, session.id, access)
        : await this.continueFlow.refuse(flow);
    if (result.kind === 'refused') return this.replies.sendOver(request, reply, flow);
    await this.replies.send(request, reply, result, flow);
  }

  private async showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow,
    session: Session,
    access: ManagementAccess,
  ): Promise<void> {
    const { application, request: asked } = flow;
    const subject = await this.tokens.findSubject(session.userId);
    const owner = application && (await this.organizations.find(application.orgId));
    if (subject === undefined || application === undefined || asked === undefined || owner === undefined) {
      return this.replies.sendOver(request, reply, flow);
    }
    const { deviceAuthorizationId } = asked;
    const device = deviceAuthorizationId && (await this.devices.find(deviceAuthorizationId));
    // decided by another browser, or too late
    if (deviceAuthorizationId !== undefined && device === undefined)
      return this.replies.sendOver(request, reply, flow);
    const logo = await this.clientLogos.nameOf(application, request.ip);
    const newcomer = isUnknownHere(application)
      ? {
          scopes: asked.scopes,
          resources: await this.resourcesOf(asked.scopes),
          source: sourceOf(application),
          logoUrl: logo && logoPath(logo),
        }
      : undefined;
    const clientLinks = await this.clientLinks.of(application);
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
          clientLinks,
          loginName: subject.loginName,
          displayName: subject.claims.kind === 'human' ? subject.claims.displayName : undefined,
          otherAccountUrl: flowPath('sign-in', flow.id),
        }),
      // to refuse is one of its own two buttons
      { ...flowPageOptions(flow), cancels: undefined },
    );
  }

  /** Names of the projects that the tokens would be for. */
  private async resourcesOf(scopes: readonly string[]): Promise<readonly string[]> {
    const ids = scopes.flatMap((scope) => audienceProject(scope, '') ?? []);
    return ids.length === 0 ? [] : (await this.projects.findOpenResources(ids)).map(({ name }) => name);
  }
}

/** The host that publishes what describes the application: what people can know it by. */
function sourceOf({ registration, clientId }: BrowserApplication): string | undefined {
  return registration === 'document' ? new URL(clientId).host : undefined;
}

function levelOf(text: string | undefined): ManagementAccess | undefined {
  return MANAGEMENT_ACCESS.find((level) => level === text);
}

/** What people know a redirect URI by: its host, or the scheme of an application on their device. */
function targetOf(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri);
  return protocol === 'https:' || protocol === 'http:' ? host : protocol.replace(/:$/, '');
}
