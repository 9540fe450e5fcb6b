import { Injectable } from '@nestjs/common';
import { IsNull, type EntityManager, type FindOptionsWhere } from 'typeorm';
import {
  MessageTemplatesStore,
  type MessageKey,
  type MessageTemplate,
} from '../../../domain/notifications/templates/message-templates.store.js';
import { TEXT_FIELDS, type MessageTexts } from '../../../domain/notifications/templates/message-texts.js';
import type { OrgId } from '../../../domain/shared/ids.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { resourceOwner } from '../instance-owner.js';
import { isOfOwner, PagedQuery, selecting } from '../query.js';
import { Sql } from '../sql.js';
import { COUNTED, detailsWithOwner, removedDetails, SET_ANEW, Table } from '../table.js';
import { MessageTemplateEntity } from '../tables/message-template.entity.js';

const READ = [
  'id',
  'orgId',
  'type',
  'language',
  ...TEXT_FIELDS,
  'sequence',
  'createdAt',
  'changedAt',
] as const;

/** The row that `lockForUpdate` has made is at 0. */
const FROM_ANEW = { sequence: () => `CASE sequence WHEN 0 THEN ${SET_ANEW} ELSE sequence + 1 END` };

type TemplateRow = Pick<MessageTemplateEntity, (typeof READ)[number]>;

@Injectable()
export class PgMessageTemplatesStore extends MessageTemplatesStore {
  private readonly rows: Table<MessageTemplateEntity>;
  private readonly pages: PagedQuery<TemplateRow, { orgId: OrgId | null }>;

  constructor(private readonly sql: Sql) {
    super();
    this.rows = new Table(sql, MessageTemplateEntity);
    const templates = (entities: EntityManager) =>
      selecting(entities.createQueryBuilder(MessageTemplateEntity, 't'), READ).where(isOfOwner('t'));
    this.pages = new PagedQuery(sql, 'message-templates-list', templates, { name: 'type' });
  }

  override async find(key: MessageKey): Promise<MessageTemplate | undefined> {
    const row = await this.rows.find(rowOf(key));
    return row && templateOf(row, await resourceOwner(this.sql, row.orgId));
  }

  override async list(orgId: OrgId | null, query: PageQuery): Promise<Page<MessageTemplate>> {
    const owner = await resourceOwner(this.sql, orgId);
    return await this.pages.list(query, { orgId }, (row) => templateOf(row, owner));
  }

  override async lockForUpdate(tx: Tx, { orgId, type, language }: MessageKey): Promise<MessageTexts> {
    return textsOf(await this.rows.lockForUpdate(tx, { orgId, type, language }));
  }

  override async replace(tx: Tx, key: MessageKey, texts: MessageTexts): Promise<MessageTemplate> {
    const values = Object.fromEntries(TEXT_FIELDS.map((field) => [field, texts[field] ?? null]));
    const [row] = await this.rows.change(tx, rowOf(key), { ...values, ...COUNTED, ...FROM_ANEW });
    if (row === undefined) throw new Error('message texts were replaced that nobody has locked');
    return templateOf(row, await resourceOwner(this.sql, row.orgId, tx));
  }

  override async remove(tx: Tx, key: MessageKey): Promise<MessageTemplate | undefined> {
    const [removed] = await this.rows.remove(tx, rowOf(key));
    if (removed === undefined) return undefined;
    const owner = await resourceOwner(this.sql, removed.row.orgId, tx);
    return { ...templateOf(removed.row, owner), details: removedDetails(owner, removed) };
  }
}

function rowOf({ orgId, type, language }: MessageKey): FindOptionsWhere<MessageTemplateEntity> {
  return { orgId: orgId ?? IsNull(), type, language };
}

function textsOf(row: TemplateRow): MessageTexts {
  const said = TEXT_FIELDS.flatMap((field) => (row[field] === null ? [] : [[field, row[field]]]));
  return Object.fromEntries(said) as MessageTexts;
}

function templateOf(row: TemplateRow, owner: OrgId): MessageTemplate {
  const { id, orgId, type, language } = row;
  return { id, orgId, type, language, texts: textsOf(row), details: detailsWithOwner(owner, row) };
}
