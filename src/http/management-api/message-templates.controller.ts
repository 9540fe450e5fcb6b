import { Delete, Get, HttpCode, Param, Post, Put, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Config } from '../../config/config.js';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { ChangeMessageTemplates } from '../../domain/notifications/templates/change-message-templates.js';
import { MessageTemplatesStore } from '../../domain/notifications/templates/message-templates.store.js';
import { ShowMessageTemplates } from '../../domain/notifications/templates/show-message-templates.js';
import type { OrgId } from '../../domain/shared/ids.js';
import { changedSchema, listSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { readNothing } from '../shared/api-fields.js';
import { ActingOrg } from '../shared/caller.js';
import { changedDetails, type DetailsResponse } from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { listResponse, pageQuery, readSearch, type ListResponse } from '../shared/lists.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import {
  listedTemplate,
  listedTemplateSchema,
  previewAnswer,
  readTexts,
  sendPreview,
  templateAnswer,
  templateKey,
  templateResponse,
  type ListedTemplate,
  type PreviewResponse,
  type TemplateResponse,
} from '../shared/template-bodies.js';

/** Words of the organization that the call acts in, in place of the instance's and the built-in ones. */
@ApiController('management/v1/templates')
export class MessageTemplatesController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly templates: MessageTemplatesStore,
    private readonly show: ShowMessageTemplates,
    private readonly change: ChangeMessageTemplates,
    private readonly config: Config,
  ) {}

  @Post('_search')
  @HttpCode(200)
  @RequiresPermission('policy.read')
  @Documented({
    summary: 'List the message texts of the organization',
    body: readSearch,
    answer: listSchema(listedTemplateSchema),
  })
  async list(@Call() { orgId, body }: ApiCall): Promise<ListResponse<ListedTemplate>> {
    const page = await this.templates.list(orgId, pageQuery(readSearch(body ?? {})));
    return listResponse(page, listedTemplate);
  }

  @Get(':type/:language')
  @RequiresPermission('policy.read')
  @Documented({ summary: 'Find the texts of a message', answer: templateAnswer })
  async find(
    @ActingOrg() orgId: OrgId,
    @Param('type') type: string,
    @Param('language') language: string,
  ): Promise<TemplateResponse> {
    const key = templateKey(orgId, type, language);
    return templateResponse(key, await this.show.find(key), orgId);
  }

  @Put(':type/:language')
  @RequiresPermission('policy.write')
  @Documented({
    summary: 'Replace the texts of a message',
    description: 'As a whole: what is left out falls back. Docs: templates.md.',
    body: readTexts,
    answer: changedSchema,
  })
  async replace(
    @Call() call: ApiCall,
    @Param('type') type: string,
    @Param('language') language: string,
  ): Promise<{ details: DetailsResponse }> {
    const texts = readTexts(call.body);
    const key = templateKey(call.orgId, type, language);
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.change.replace(tx, key, texts, call.caller)),
    }));
  }

  @Delete(':type/:language')
  @RequiresPermission('policy.write')
  @Documented({ summary: 'Remove the own texts of a message', answer: changedSchema })
  async remove(
    @Call() call: ApiCall,
    @Param('type') type: string,
    @Param('language') language: string,
  ): Promise<{ details: DetailsResponse }> {
    readNothing(call.body ?? {});
    const key = templateKey(call.orgId, type, language);
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.change.remove(tx, key, call.caller)),
    }));
  }

  @Post(':type/:language/_preview')
  @HttpCode(200)
  @RequiresPermission('policy.read')
  @Documented({
    summary: 'See what a message would be',
    description: 'With texts as PUT takes them, or, without any, with those that hold now.',
    body: readTexts,
    answer: previewAnswer,
  })
  async preview(
    @Call() call: ApiCall,
    @Param('type') type: string,
    @Param('language') language: string,
  ): Promise<PreviewResponse> {
    const texts = readTexts(call.body ?? {});
    return await this.show.preview(templateKey(call.orgId, type, language), texts);
  }

  @Post(':type/:language/_preview_html')
  @HttpCode(200)
  @RequiresPermission('policy.read')
  @Documented({
    summary: 'Look at what a mail would be',
    description: 'The same as a document that a browser shows in a sandbox; a short message as plain text.',
    body: readTexts,
    download: { 'text/html': 'The mail.', 'text/plain': 'The short message.' },
    answer: z.string(),
  })
  async look(
    @Call() call: ApiCall,
    @Param('type') type: string,
    @Param('language') language: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const texts = readTexts(call.body ?? {});
    const key = templateKey(call.orgId, type, language);
    const preview = await this.show.preview(key, texts);
    await sendPreview(reply, preview, this.config.app.issuer.url);
  }
}
