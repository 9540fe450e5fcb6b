import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import { changedFields } from '../../shared/changed-fields.js';
import type { ResourceDetails } from '../../shared/details.js';
import { ApiError } from '../../shared/errors.js';
import type { UserId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { checkTexts } from './check-texts.js';
import { MessageTemplatesStore, type MessageKey, type MessageTemplate } from './message-templates.store.js';
import type { MessageTexts } from './message-texts.js';

export function templateNotFound(): ApiError {
  return new ApiError('not-found', 'Template not found', 'TEMPLATE-h2Vq8');
}

/** An organization's or the instance's own words; read for every message, so a change holds for the next one. */
@Injectable()
export class ChangeMessageTemplates {
  constructor(
    private readonly templates: MessageTemplatesStore,
    private readonly events: EventsStore,
  ) {}

  /** As a whole: what is not given falls back again. @throws ApiError invalid-argument */
  async replace(tx: Tx, key: MessageKey, texts: MessageTexts, actorId: UserId): Promise<ResourceDetails> {
    if (Object.keys(texts).length === 0) {
      throw new ApiError('invalid-argument', 'at least one text is required');
    }
    checkTexts(key.type, texts);
    const before = await this.templates.lockForUpdate(tx, key);
    const template = await this.templates.replace(tx, key, texts);
    await this.record(tx, template, 'changed', changedFields(before, texts), actorId);
    const isNew = Object.keys(before).length === 0;
    return isNew ? { ...template.details, before: '0' } : template.details;
  }

  /** @throws ApiError not-found */
  async remove(tx: Tx, key: MessageKey, actorId: UserId): Promise<ResourceDetails> {
    const template = await this.templates.remove(tx, key);
    if (template === undefined) throw templateNotFound();
    await this.record(tx, template, 'removed', Object.keys(template.texts).sort(), actorId);
    return template.details;
  }

  private async record(
    tx: Tx,
    { id, orgId, type, language, details }: MessageTemplate,
    what: 'changed' | 'removed',
    fields: readonly string[],
    actorId: UserId,
  ): Promise<void> {
    await this.events.append(tx, {
      orgId,
      aggregateType: 'message_template',
      aggregateId: id,
      sequence: details.sequence,
      type: `${orgId === null ? 'instance' : 'organization'}.message_template.${what}`,
      actorId,
      fields,
      data: { template: type, language },
    });
  }
}
