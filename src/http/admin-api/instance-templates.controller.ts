import { Delete, Get, HttpCode, Param, Post, Put, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Config } from '../../config/config.js';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { ChangeMessageTemplates } from '../../domain/notifications/templates/change-message-templates.js';
import { MessageTemplatesStore } from '../../domain/notifications/templates/message-templates.store.js';
import { ShowMessageTemplates } from '../../domain/notifications/templates/show-message-templates.js';
import { InstanceStore } from '../../domain/organizations/instance.store.js';
import { changedSchema, listSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { readNothing } from '../shared/api-fields.js';
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

/** Words of the instance, in place of the built-in ones, for every organization that has none of its own. */
@ApiController('admin/v1/templates')
export class InstanceTemplatesController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly templates: MessageTemplatesStore,
    private readonly show: ShowMessageTemplates,
    private readonly change: ChangeMessageTemplates,
    private readonly config: Config,
    private readonly instance: InstanceStore,
  ) {}

  @Post('_search')
  @HttpCode(200)
  @RequiresPermission('iam.read')
  @Documented({
    summary: 'List the message texts of the instance',
    body: readSearch,
    answer: listSchema(listedTemplateSchema),
  })
  async list(@Call() { body }: ApiCall): Promise<ListResponse<ListedTemplate>> {
    const page = await this.templates.list(null, pageQuery(readSearch(body ?? {})));
    return listResponse(page, listedTemplate);
  }

  @Get(':type/:language')
  @RequiresPermission('iam.read')
  @Documented({ summary: 'Find the texts of a message', answer: templateAnswer })
  async find(@Param('type') type: string, @Param('language') language: string): Promise<TemplateResponse> {
    const key = templateKey(null, type, language);
    const { defaultOrgId } = await this.instance.read();
    return templateResponse(key, await this.show.find(key), defaultOrgId);
  }

  @Put(':type/:language')
  @RequiresPermission('iam.write')
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
    const key = templateKey(null, type, language);
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.change.replace(tx, key, texts, call.caller)),
    }));
  }

  @Delete(':type/:language')
  @RequiresPermission('iam.write')
  @Documented({ summary: 'Remove the own texts of a message', answer: changedSchema })
  async remove(
    @Call() call: ApiCall,
    @Param('type') type: string,
    @Param('language') language: string,
  ): Promise<{ details: DetailsResponse }> {
    readNothing(call.body ?? {});
    const key = templateKey(null, type, language);
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.change.remove(tx, key, call.caller)),
    }));
  }

  @Post(':type/:language/_preview')
  @HttpCode(200)
  @RequiresPermission('iam.read')
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
    return await this.show.preview(templateKey(null, type, language), texts);
  }

  @Post(':type/:language/_preview_html')
  @HttpCode(200)
  @RequiresPermission('iam.read')
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
    const key = templateKey(null, type, language);
    const preview = await this.show.preview(key, texts);
    await sendPreview(reply, preview, this.config.app.issuer.url);
  }
}
