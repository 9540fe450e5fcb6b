import { Injectable } from '@nestjs/common';
import { EventsStore } from '../../events/events.store.js';
import { ApiError } from '../../shared/errors.js';
import type { OrgId, UserId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { EnqueueNotification } from '../enqueue-notification.js';
import type { MailContent } from '../mail.js';
import { NotificationsStore } from '../notifications.store.js';
import { MessageTemplatesStore, type MessageKey } from './message-templates.store.js';
import type { MessageTexts } from './message-texts.js';
import { ShowMessageTemplates } from './show-message-templates.js';
import { markedAsTest, sealedTest } from './template-test.js';

/** What is sent, and to whom. */
interface PreparedTest {
  readonly key: MessageKey;
  readonly recipient: { readonly userId: UserId; readonly orgId: OrgId; readonly address: string };
  readonly mail: MailContent;
}

/**
 * Sends a message with texts that need not be saved yet to their author. It goes to the caller's own verified address and
 * to no other. An address that a manager marked as verified is enough: whoever may write these texts can have them sent to any
 * address by an invitation, and administrators of bootstrap, imports and SCIM could prove none.
 */
@Injectable()
export class SendTemplateTest {
  constructor(
    private readonly show: ShowMessageTemplates,
    private readonly notifications: NotificationsStore,
    private readonly enqueue: EnqueueNotification,
    private readonly templates: MessageTemplatesStore,
    private readonly events: EventsStore,
  ) {}

  /**
   * @param texts as they would be set; none for those that hold now
   * @throws ApiError invalid-argument for words that could not be set, failed-precondition for a short message and for a
   * caller without a verified address
   */
  async prepare(key: MessageKey, texts: MessageTexts, caller: UserId): Promise<PreparedTest> {
    const preview = await this.show.preview(key, texts);
    if (!('mail' in preview)) {
      throw new ApiError(
        'failed-precondition',
        'a short message cannot be sent as a test: only mails can',
        'TEMPLATE-s4Wn1',
      );
    }
    const recipient = await this.notifications.findVerifiedAddress(caller);
    if (recipient === undefined) {
      throw new ApiError(
        'failed-precondition',
        'the caller has no verified e-mail address to send a test to',
        'TEMPLATE-v9Rk3',
      );
    }
    return { key, recipient: { ...recipient, userId: caller }, mail: preview.mail };
  }

  /** Through the outbox, as all mails. */
  async send(tx: Tx, { key, recipient, mail }: PreparedTest): Promise<{ readonly sentTo: string }> {
    const { userId, orgId, address } = recipient;
    await this.enqueue.execute(tx, {
      orgId,
      userId,
      template: 'template_test',
      codeId: null,
      code: sealedTest({ ...mail, address, subject: markedAsTest(mail.subject) }),
      expiresAt: null,
    });
    const own = await this.templates.find(key);
    await this.events.append(tx, {
      orgId: key.orgId,
      aggregateType: 'message_template',
      aggregateId: own?.id ?? `${key.type}.${key.language}`,
      sequence: own?.details.sequence ?? '0',
      type: `${key.orgId === null ? 'instance' : 'organization'}.message_template.tested`,
      actorId: userId,
      data: { template: key.type, language: key.language },
    });
    return { sentTo: address };
  }
}
