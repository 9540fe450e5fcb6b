import { createHash } from 'node:crypto';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../config/config.js';
import { Pages } from '../shared/pages.js';
import { renderApiReferencePage } from './api-reference-page.js';
import { ApiRoutes } from './api-routes.js';
import { type OpenApiDocument, openApiDocument } from './openapi-document.js';

/** Of the paths, which all say `v1`. */
const VERSION = '1.0.0';
const MAX_AGE_SECONDS = 300;

interface Rendered {
  readonly document: OpenApiDocument;
  readonly body: string;
  readonly etag: string;
}

/** The APIs' description, for programs and for people. Open to all: it says nothing of what is stored here. */
@Controller()
export class OpenApiController {
  private rendered: Rendered | undefined;

  constructor(
    private readonly routes: ApiRoutes,
    private readonly pages: Pages,
    private readonly config: Config,
  ) {}

  @Get('openapi.json')
  read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const { body, etag } = this.render();
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
    const { document } = this.render();
    this.pages.send(request, reply, (page) => renderApiReferencePage(page, document));
  }

  /** Made at the first request: nothing of it changes while the process runs. */
  private render(): Rendered {
    if (this.rendered === undefined) {
      const document = openApiDocument(this.config.app.issuer.url, VERSION, this.routes.list());
      const body = JSON.stringify(document);
      const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
      this.rendered = { document, body, etag };
    }
    return this.rendered;
  }
}
