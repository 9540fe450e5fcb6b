import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RegisterByLink, type OpenedPasskeyLink } from '../../domain/passkeys/links/register-by-link.js';
import type { PasskeyRefusal } from '../../domain/passkeys/passkey-refusal.js';
import { describeBrowser } from '../../domain/sessions/describe-browser.js';
import { renderPasskeyMadePage } from '../../pages/done-pages.js';
import { renderPasskeyLinkPage } from '../../pages/passkey-link-page.js';
import { Pages } from '../shared/pages/pages.js';
import { readRegistration } from '../shared/pages/passkey-answer.js';
import { RequestUserAgent } from '../shared/pages/request-user-agent.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { codeOfLink, MailLinks, type OpenedLink } from './mail-links.js';

const PURPOSE = 'register_passkey';
const PATH = '/passkey/register';
const SIGN_IN = '/login';
const WHOLE_CODE = /^[A-Z0-9]{12}$/;

/**
 * The page behind a link by which somebody adds a passkey without having signed in. Opening it changes nothing, and neither
 * does the challenge that its script asks for, but that from then on the browser is known, and the answer must come from it.
 */
@Controller('passkey/register')
export class PasskeyLinkController {
  constructor(
    private readonly links: MailLinks,
    private readonly registerByLink: RegisterByLink,
    private readonly userAgent: RequestUserAgent,
    private readonly pages: Pages,
    private readonly limits: AddressLimits,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const opened = await this.links.open(request, reply, PURPOSE);
    if (opened === undefined) return;
    // nobody can type what a program on the way has cut off
    if (!WHOLE_CODE.test(codeOfLink(opened.parameters) ?? '')) {
      return this.links.sendOver(request, reply, PURPOSE);
    }
    this.showForm(request, reply, opened);
  }

  @Post('challenge')
  async challenge(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const opened = await this.links.submitted(request, reply, PURPOSE);
    if (opened === undefined) return;
    await this.limits.admitChallenge(request);
    const agent = await this.userAgent.findOrWelcome(request, reply);
    const begun = await this.links.tryCode(request, reply, async () => {
      const options = await this.registerByLink.begin(linkOf(opened, agent.id));
      return { result: { options }, failed: typeof options === 'string' };
    });
    if (begun === undefined) return;
    void reply.header('cache-control', 'no-store');
    if (typeof begun.options === 'string') return void reply.code(409).send({});
    void reply.send(begun.options);
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const opened = await this.links.submitted(request, reply, PURPOSE);
    if (opened === undefined) return;
    const agent = await this.userAgent.find(request);
    const answer = readRegistration(opened.parameters.get('credential'));
    if (agent === undefined || answer === undefined) {
      return this.showForm(request, reply, opened, 'passkey-refused');
    }
    const name = describeBrowser(request.headers['user-agent']) ?? 'Passkey';
    const finished = await this.links.tryCode(request, reply, async () => {
      const refusal = await this.registerByLink.finish(linkOf(opened, agent.id), answer, name);
      return { result: { refusal }, failed: refusal === 'wrong-code' || refusal === 'link-over' };
    });
    if (finished === undefined) return;
    const { refusal } = finished;
    switch (refusal) {
      case undefined:
        return void this.pages.send(
          request,
          reply,
          (page) => renderPasskeyMadePage({ ...page, wayOn: { url: SIGN_IN } }),
          { organization: opened.link.organization },
        );
      case 'wrong-code':
      case 'link-over':
        return this.links.sendOver(request, reply, PURPOSE);
      case 'passkey-refused':
      case 'too-many-passkeys':
        return this.showForm(request, reply, opened, refusal);
    }
  }

  private showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    { id, link, parameters }: OpenedLink,
    refusal?: PasskeyRefusal,
  ): void {
    const { loginName, displayName, organization } = link;
    const form = this.links.form(PURPOSE, PATH, id);
    const code = codeOfLink(parameters) ?? '';
    this.pages.send(
      request,
      reply,
      (page) =>
        renderPasskeyLinkPage({
          ...page,
          refusal,
          form: { ...form, hidden: { ...form.hidden, code } },
          account: { loginName, displayName },
          signInUrl: SIGN_IN,
        }),
      { status: refusal === undefined ? 200 : 400, organization, passkeys: true },
    );
  }
}

function linkOf({ id, parameters }: OpenedLink, userAgentId: string): OpenedPasskeyLink {
  return { linkId: id, code: codeOfLink(parameters) ?? '', userAgentId };
}
