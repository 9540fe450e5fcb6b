import { createHash } from 'node:crypto';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Pages } from '../shared/pages.js';
import { renderApiReferencePage } from './api-reference-page.js';
import type { OpenApiDocument } from './openapi-document.js';
import { ReadDocument } from './read-document.js';

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
    private readonly description: ReadDocument,
    private readonly pages: Pages,
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
      const document = this.description.document();
      const body = JSON.stringify(document);
      const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
      this.rendered = { document, body, etag };
    }
    return this.rendered;
  }
}
