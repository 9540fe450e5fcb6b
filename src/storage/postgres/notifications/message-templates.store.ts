import { Injectable } from '@nestjs/common';
import {
  MessageTemplatesStore,
  type MessageKey,
  type MessageTemplate,
} from '../../../domain/notifications/templates/message-templates.store.js';
import {
  TEXT_FIELDS,
  type MessageTexts,
  type MessageType,
  type TextField,
} from '../../../domain/notifications/templates/message-texts.js';
import type { OrgId } from '../../../domain/shared/ids.js';
import type { Language } from '../../../domain/shared/locale.js';
import type { Page, PageQuery } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { pageOf, pageStatement, pageValues, type PageRow } from '../page-statement.js';
import { detailsOf, type ResourceRow } from '../resource-row.js';
import { Sql } from '../sql.js';
import { textColumn } from './own-texts-column.js';

const TEXTS = TEXT_FIELDS.map((field) => `${textColumn(field)} AS "${field}"`).join(', ');
const IDENTITY = `
  t.id, t.org_id AS owner, t.type, t.language, t.created_at,
  coalesce(t.org_id, (SELECT default_org_id FROM instance)) AS org_id`;
const COLUMNS = `${IDENTITY}, ${TEXTS}, t.sequence, t.changed_at`;
/** IS NOT DISTINCT FROM would not find the index. */
const MINE = '(t.org_id = $1 OR $1::text IS NULL AND t.org_id IS NULL)';

const FIND = {
  name: 'message-templates-find',
  text: `SELECT ${COLUMNS} FROM message_templates t WHERE ${MINE} AND t.type = $2 AND t.language = $3`,
};
const LIST = pageStatement('message-templates-list', {
  select: `
    SELECT t.type AS name, ${COLUMNS} FROM message_templates t
    WHERE (t.org_id = $7 OR $7::text IS NULL AND t.org_id IS NULL)`,
});
// the touch waits for whoever holds the row, then gives what they left; a row that is made here counts no change yet
const LOCK_FOR_UPDATE = {
  name: 'message-templates-lock-for-update',
  text: `
    INSERT INTO message_templates AS t (org_id, type, language, sequence) VALUES ($1, $2, $3, 0)
    ON CONFLICT ON CONSTRAINT message_templates_once DO UPDATE SET type = t.type
    RETURNING ${TEXTS}`,
};
const REPLACE = {
  name: 'message-templates-replace',
  text: `
    UPDATE message_templates t SET subject = $4, title = $5, preheader = $6, greeting = $7, text = $8, button = $9,
      footer = $10, sms_text = $11, sequence = sequence + 1, changed_at = app_now()
    WHERE ${MINE} AND t.type = $2 AND t.language = $3
    RETURNING ${COLUMNS}`,
};
const REMOVE = {
  name: 'message-templates-remove',
  text: `
    DELETE FROM message_templates t WHERE ${MINE} AND t.type = $2 AND t.language = $3
    RETURNING ${IDENTITY}, ${TEXTS}, t.sequence + 1 AS sequence, app_now() AS changed_at`,
};

type TextsRow = Readonly<Record<TextField, string | null>>;
type TemplateRow = ResourceRow &
  TextsRow & { id: string; owner: OrgId | null; type: MessageType; language: Language };

function textsOf(row: TextsRow): MessageTexts {
  const said = TEXT_FIELDS.flatMap((field) => (row[field] === null ? [] : [[field, row[field]]]));
  return Object.fromEntries(said) as MessageTexts;
}

function toTemplate(row: TemplateRow): MessageTemplate {
  const { id, owner, type, language } = row;
  return { id, orgId: owner, type, language, texts: textsOf(row), details: detailsOf(row) };
}

function keyValues({ orgId, type, language }: MessageKey): unknown[] {
  return [orgId, type, language];
}

@Injectable()
export class PgMessageTemplatesStore extends MessageTemplatesStore {
  constructor(private readonly sql: Sql) {
    super();
  }

  override async find(key: MessageKey): Promise<MessageTemplate | undefined> {
    const row = await this.sql.row<TemplateRow>(FIND, keyValues(key));
    return row && toTemplate(row);
  }

  override async list(orgId: OrgId | null, query: PageQuery): Promise<Page<MessageTemplate>> {
    const rows = await this.sql.rows<PageRow<TemplateRow>>(LIST, [...pageValues(query), orgId]);
    return pageOf(rows, toTemplate);
  }

  override async lockForUpdate(tx: Tx, key: MessageKey): Promise<MessageTexts> {
    const row = await this.sql.row<TextsRow>(LOCK_FOR_UPDATE, keyValues(key), tx);
    return row === undefined ? {} : textsOf(row);
  }

  override async replace(tx: Tx, key: MessageKey, texts: MessageTexts): Promise<MessageTemplate> {
    const values = TEXT_FIELDS.map((field) => texts[field] ?? null);
    const row = await this.sql.row<TemplateRow>(REPLACE, [...keyValues(key), ...values], tx);
    if (row === undefined) throw new Error('message texts were replaced that nobody has locked');
    return toTemplate(row);
  }

  override async remove(tx: Tx, key: MessageKey): Promise<MessageTemplate | undefined> {
    const row = await this.sql.row<TemplateRow>(REMOVE, keyValues(key), tx);
    return row && toTemplate(row);
  }
}
