import { randomBytes } from 'node:crypto';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../config/config.js';
import { InstanceStore } from '../../domain/organizations/instance.store.js';
import { sendAsset } from '../shared/pages/assets.js';
import { ErrorPages } from '../shared/pages/error-pages.js';
import { PageLanguage } from '../shared/pages/page-language.js';
import { ConsoleFiles } from './console-files.js';
import { renderConsolePage } from './console-page.js';

/** The administration console: one page for each of its addresses, and its files. It has no more rights than its visitor. */
@Controller('console')
export class ConsoleController {
  // read at the first request: the API starts without it; and again after a build, which takes away what was there before
  private files: ConsoleFiles | undefined;

  constructor(
    private readonly instance: InstanceStore,
    private readonly language: PageLanguage,
    private readonly errorPages: ErrorPages,
    private readonly config: Config,
  ) {}

  @Get('assets/:name')
  asset(@Req() request: FastifyRequest<{ Params: { name: string } }>, @Res() reply: FastifyReply): void {
    const asset = this.built().find(`assets/${request.params.name}`);
    if (asset === undefined) return void this.errorPages.send(request, reply, 'not-found', 404);
    sendAsset(reply, asset);
  }

  @Get()
  async home(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.page(request, reply);
  }

  /** Every address of the console is the same page, so that each can be a link. */
  @Get('*')
  async page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { entry } = this.built();
    const clientId = await this.instance.findConsoleClient();
    if (entry === undefined || clientId === undefined) {
      return void this.errorPages.send(request, reply, 'not-found', 404);
    }
    const nonce = randomBytes(16).toString('base64');
    const language = this.language.choose(request, [], undefined);
    void reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        // a script with the nonce may load the parts of the console; the style tag of its components carries the nonce
        'content-security-policy':
          `default-src 'none'; script-src 'nonce-${nonce}' 'strict-dynamic'; style-src 'self' 'nonce-${nonce}'; ` +
          `img-src 'self' data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`,
        // codes and tokens of the sign-in stand in its address for a moment
        'referrer-policy': 'no-referrer',
      })
      .send(renderConsolePage({ nonce, language, issuer: this.config.app.issuer.url, clientId, entry }));
  }

  private built(): ConsoleFiles {
    if (this.files?.areCurrent() !== true) this.files = new ConsoleFiles();
    return this.files;
  }
}
