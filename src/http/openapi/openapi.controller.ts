import { createHash } from 'node:crypto';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendAsset } from '../shared/pages/assets.js';
import { ErrorPages } from '../shared/pages/error-pages.js';
import { Pages } from '../shared/pages/pages.js';
import { ReadDocument } from './read-document.js';
import { ReferencePage } from './reference-page.js';

const MAX_AGE_SECONDS = 300;

interface Rendered {
  readonly body: string;
  readonly etag: string;
}

/** The APIs' description, for programs and for people. Open to all: it says nothing of what is stored here. */
@Controller()
export class OpenApiController {
  // both made at the first request: nothing of them changes while the process runs
  private rendered: Promise<Rendered> | undefined;
  private reference: ReferencePage | undefined;

  constructor(
    private readonly description: ReadDocument,
    private readonly pages: Pages,
    private readonly errorPages: ErrorPages,
  ) {}

  @Get('openapi.json')
  async read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { body, etag } = await (this.rendered ??= this.render());
    void reply.headers({
      etag,
      'cache-control': `public, max-age=${MAX_AGE_SECONDS}`,
      'access-control-allow-origin': '*',
    });
    if (request.headers['if-none-match'] === etag) return void reply.code(304).send();
    void reply.header('content-type', 'application/json; charset=utf-8').send(body);
  }

  @Get('openapi')
  show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pages.send(request, reply, (page) => this.referencePage().render(page), { viewer: true });
  }

  @Get('openapi/:file')
  file(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const file = this.referencePage().files.get(request.url);
    if (file === undefined) return void this.errorPages.send(request, reply, 'not-found', 404);
    sendAsset(reply, file);
  }

  private referencePage(): ReferencePage {
    return (this.reference ??= new ReferencePage());
  }

  private async render(): Promise<Rendered> {
    const body = JSON.stringify(await this.description.document());
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
    return { body, etag };
  }
}
