import type { ResourceDetails } from '../../shared/details.js';
import type { OrgId } from '../../shared/ids.js';
import type { Language } from '../../shared/locale.js';
import type { Page, PageQuery } from '../../shared/page.js';
import type { Tx } from '../../shared/unit-of-work.js';
import type { MessageTexts, MessageType } from './message-texts.js';

/** Whose words: an organization's, or, where null, the instance's. */
export interface MessageKey {
  readonly orgId: OrgId | null;
  readonly type: MessageType;
  readonly language: Language;
}

/** Custom texts. Events about those of the instance belong to its default organization. */
export interface MessageTemplate extends MessageKey {
  readonly id: string;
  readonly texts: MessageTexts;
  readonly details: ResourceDetails;
}

/** Custom texts of messages, of organizations and of the instance. */
export abstract class MessageTemplatesStore {
  abstract find(key: MessageKey): Promise<MessageTemplate | undefined>;

  /** Of one organization, or of the instance alone. */
  abstract list(orgId: OrgId | null, page: PageQuery): Promise<Page<MessageTemplate>>;

  /**
   * Keeps the words from everybody else until the transaction ends, so that two who replace them at once do so one
   * after the other. No texts where there were none.
   */
  abstract lockForUpdate(tx: Tx, key: MessageKey): Promise<MessageTexts>;

  /** After `lockForUpdate` in the same transaction. */
  abstract replace(tx: Tx, key: MessageKey, texts: MessageTexts): Promise<MessageTemplate>;

  /** One statement. Undefined when there was nothing to remove. */
  abstract remove(tx: Tx, key: MessageKey): Promise<MessageTemplate | undefined>;
}
