import { Body, Delete, Get, Injectable, Param, Post, Put, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Config } from '../../../config/config.js';
import { IdempotentRequests, type WireAnswer } from '../../../domain/idempotency/idempotent-requests.js';
import {
  ChangeMessageTemplates,
  templateNotFound,
} from '../../../domain/notifications/templates/change-message-templates.js';
import type { MessageKey } from '../../../domain/notifications/templates/message-templates.store.js';
import { MESSAGE_TYPES } from '../../../domain/notifications/templates/message-texts.js';
import { SendTemplateTest } from '../../../domain/notifications/templates/send-template-test.js';
import { ShowMessageTemplates } from '../../../domain/notifications/templates/show-message-templates.js';
import type { OrgId } from '../../../domain/shared/ids.js';
import { languages } from '../../../domain/shared/locale.js';
import { changeAnswer } from '../answers.js';
import { Call, type ApiCall } from '../api-call.js';
import { checkBody } from '../body.pipe.js';
import { CallerLimits } from '../caller-limits.js';
import { ActingOrg } from '../caller.js';
import { listAnswer, nothingBody, pageQuery, searchBody } from '../lists.js';
import { Operation } from '../operation.js';
import { ownerIn, type OwnerScope } from '../owner-scope.js';
import {
  listedTemplateAnswer,
  messageLanguage,
  messageType,
  previewAnswer,
  previewBody,
  templateAnswer,
  templateTestAnswer,
  textsBody,
} from '../schemas/template.schemas.js';

const SCOPES = {
  organization: { read: 'policy.read', write: 'policy.write' },
  instance: { read: 'iam.read', write: 'iam.write' },
} as const;

/** Own words of messages: an organization's, in place of the instance's, in place of the built-in ones. */
export function templatesOf(scope: OwnerScope) {
  const { read, write } = SCOPES[scope];

  @Injectable()
  abstract class ScopedTemplatesController {
    constructor(
      private readonly idempotentRequests: IdempotentRequests,
      private readonly show: ShowMessageTemplates,
      private readonly change: ChangeMessageTemplates,
      private readonly test: SendTemplateTest,
      private readonly limits: CallerLimits,
      private readonly config: Config,
    ) {}

    @Post('_search')
    @Operation({
      summary: `List the message texts of the ${scope}`,
      permission: read,
      answer: listAnswer(listedTemplateAnswer),
    })
    async list(@ActingOrg() orgId: OrgId, @Body({ schema: searchBody }) search: z.output<typeof searchBody>) {
      return await this.show.list(ownerIn(scope, orgId), pageQuery(search));
    }

    @Get(':type/:language')
    @Operation({ summary: 'Find the texts of a message', permission: read, answer: templateAnswer })
    async find(
      @ActingOrg() orgId: OrgId,
      @Param('type', { schema: messageType }) type: string,
      @Param('language', { schema: messageLanguage }) language: string,
    ) {
      const key = keyOf(scope, orgId, type, language);
      return { ...(await this.show.find(key)), key };
    }

    @Put(':type/:language')
    @Operation({
      summary: 'Replace the texts of a message',
      description: 'As a whole: what is left out falls back. Docs: templates.md.',
      permission: write,
      ifMatch: true,
      answer: changeAnswer,
    })
    async replace(
      @Call() call: ApiCall,
      @Param('type', { schema: messageType }) type: string,
      @Param('language', { schema: messageLanguage }) language: string,
      @Body({ schema: textsBody }) texts: z.output<typeof textsBody>,
    ): Promise<WireAnswer> {
      const key = keyOf(scope, call.orgId, type, language);
      return await this.idempotentRequests.change(call, (tx) =>
        this.change.replace(tx, key, texts, call.caller),
      );
    }

    @Delete(':type/:language')
    @Operation({
      summary: 'Remove the own texts of a message',
      permission: write,
      ifMatch: true,
      answer: changeAnswer,
    })
    async remove(
      @Call() call: ApiCall,
      @Param('type', { schema: messageType }) type: string,
      @Param('language', { schema: messageLanguage }) language: string,
    ): Promise<WireAnswer> {
      checkBody(nothingBody, call.body);
      const key = keyOf(scope, call.orgId, type, language);
      return await this.idempotentRequests.change(call, (tx) => this.change.remove(tx, key, call.caller));
    }

    @Post(':type/:language/_preview')
    @Operation({
      summary: 'See what a message would be',
      description: 'With texts as PUT takes them, or, without any, with those that hold now.',
      permission: read,
      answer: previewAnswer,
    })
    async preview(
      @ActingOrg() orgId: OrgId,
      @Param('type', { schema: messageType }) type: string,
      @Param('language', { schema: messageLanguage }) language: string,
      @Body({ schema: previewBody }) texts: z.output<typeof previewBody>,
    ) {
      return await this.show.preview(keyOf(scope, orgId, type, language), texts);
    }

    @Post(':type/:language/_test')
    @Operation({
      summary: 'Send a message to oneself as a test',
      description:
        'With texts as PUT takes them, or, without any, with those that hold now; nothing is stored. It goes to the ' +
        'verified e-mail address of the caller, with a subject that begins with `[Test]`. At most ten a minute.',
      permission: write,
      answer: templateTestAnswer,
    })
    async sendTest(
      @Call() call: ApiCall,
      @Param('type', { schema: messageType }) type: string,
      @Param('language', { schema: messageLanguage }) language: string,
      @Body({ schema: previewBody }) texts: z.output<typeof previewBody>,
    ): Promise<WireAnswer> {
      const key = keyOf(scope, call.orgId, type, language);
      return await this.idempotentRequests.answer(call, async () => {
        await this.limits.admitTemplateTest(call.caller);
        const test = await this.test.prepare(key, texts, call.caller);
        return async (tx) => await this.test.send(tx, test);
      });
    }

    /**
     * A mail as the document that it is, a short message as plain text. It is our own markup with escaped text in it, and
     * still shown as a stranger's: in an origin of its own, where nothing runs, nothing is sent and nothing is asked for
     * but the logo.
     */
    @Post(':type/:language/_preview_html')
    @Operation({
      summary: 'Look at what a mail would be',
      description: 'The same as a document that a browser shows in a sandbox; a short message as plain text.',
      permission: read,
      answer: z.string(),
      download: { 'text/html': 'The mail.', 'text/plain': 'The short message.' },
    })
    async look(
      @ActingOrg() orgId: OrgId,
      @Param('type', { schema: messageType }) type: string,
      @Param('language', { schema: messageLanguage }) language: string,
      @Body({ schema: previewBody }) texts: z.output<typeof previewBody>,
      @Res() reply: FastifyReply,
    ): Promise<void> {
      const preview = await this.show.preview(keyOf(scope, orgId, type, language), texts);
      void reply.headers(previewHeaders(this.config.app.issuer.url));
      if ('mail' in preview) await reply.send(preview.mail.html);
      else await reply.type('text/plain; charset=utf-8').send(preview.sms.text);
    }
  }
  return ScopedTemplatesController;
}

/** What no type or language is called is answered as a template that is not there. @throws ApiError not-found */
function keyOf(scope: OwnerScope, orgId: OrgId, type: string, language: string): MessageKey {
  const known = {
    type: MESSAGE_TYPES.find((one) => one === type),
    language: languages.find((one) => one === language),
  };
  if (known.type === undefined || known.language === undefined) throw templateNotFound();
  return { orgId: ownerIn(scope, orgId), type: known.type, language: known.language };
}

function previewHeaders(issuer: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy':
      `sandbox allow-popups; default-src 'none'; style-src 'unsafe-inline'; img-src ${new URL(issuer).origin}; ` +
      `form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
  };
}
