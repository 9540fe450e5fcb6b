import { Injectable } from '@nestjs/common';
import { InstanceStore } from '../../organizations/instance.store.js';
import { OrganizationsStore } from '../../organizations/organizations.store.js';
import { Clock } from '../../shared/clock.js';
import type { NotificationId, OrgId } from '../../shared/ids.js';
import type { Page, PageQuery } from '../../shared/page.js';
import { composeMail, type MessageContext } from '../compose-mail.js';
import { composeSms } from '../compose-sms.js';
import { MessageRenderer, type MailContent } from '../mail.js';
import { NotificationSettings } from '../notification-settings.js';
import { isSmsTemplate } from '../notification-template.js';
import { sealedChoice } from '../reset-choice.js';
import { smsSize, type SmsSize } from '../sms-segments.js';
import { checkTexts } from './check-texts.js';
import { MessageTemplatesStore, type MessageKey, type MessageTemplate } from './message-templates.store.js';
import { over, type MessageTexts } from './message-texts.js';

export interface ShownTemplate {
  /** Undefined where nobody has set any. */
  readonly own: MessageTemplate | undefined;
  /** What is said where the own ones say nothing: every field of the type. */
  readonly inherited: MessageTexts;
}

export type MessagePreview = { readonly mail: MailContent } | { readonly sms: SmsSize & { text: string } };

const SAMPLE_CODE = 'K7PX2M';
const SAMPLE_CHOICE = sealedChoice({
  address: 'ada.lovelace@example.com',
  accounts: [
    { loginName: 'ada.lovelace@example.com', organizationName: 'Example', hasPassword: true },
    { loginName: 'ada@engines.example.com', organizationName: 'Engines', hasPassword: false },
  ],
});
const SAMPLE_CODE_LIFETIME_MS = 600_000;

/** Words as they are, and messages as they would be. */
@Injectable()
export class ShowMessageTemplates {
  constructor(
    private readonly templates: MessageTemplatesStore,
    private readonly orgs: OrganizationsStore,
    private readonly instance: InstanceStore,
    private readonly settings: NotificationSettings,
    private readonly renderer: MessageRenderer,
    private readonly clock: Clock,
  ) {}

  /** @param orgId null for those of the instance */
  async list(orgId: OrgId | null, query: PageQuery): Promise<Page<MessageTemplate>> {
    return await this.templates.list(orgId, query);
  }

  async find(key: MessageKey): Promise<ShownTemplate & { readonly owner: OrgId }> {
    const owner = key.orgId ?? (await this.instance.read()).defaultOrgId;
    return { ...(await this.wordsOf(key)), owner };
  }

  private async wordsOf(key: MessageKey): Promise<ShownTemplate> {
    const { orgId, type, language } = key;
    const builtIn = this.renderer.builtInTexts(type, language);
    const instance = orgId === null ? undefined : await this.templates.find({ ...key, orgId: null });
    return { own: await this.templates.find(key), inherited: over(builtIn, instance?.texts ?? {}) };
  }

  /**
   * The message to somebody made up, with the look of the organization; what the instance says, with the look of its
   * default organization.
   *
   * @param texts as they would be set; none for those that hold now
   * @throws ApiError invalid-argument
   */
  async preview(key: MessageKey, texts: MessageTexts): Promise<MessagePreview> {
    checkTexts(key.type, texts);
    const { own, inherited } = await this.wordsOf(key);
    const said = over(inherited, Object.keys(texts).length > 0 ? texts : (own?.texts ?? {}));
    const sample = await this.sample(key);
    const composing = { issuer: this.settings.issuer, renderer: this.renderer, texts: said };
    if (isSmsTemplate(key.type)) {
      const text = composeSms(sample, SAMPLE_CODE, composing);
      return { sms: { text, ...smsSize(text) } };
    }
    const content = key.type === 'reset_choice' ? SAMPLE_CHOICE : SAMPLE_CODE;
    const { subject, text, html } = composeMail(sample, content, composing);
    return { mail: { subject, text, html } };
  }

  private async sample({ orgId, type, language }: MessageKey): Promise<MessageContext> {
    const isUser = type !== 'register';
    const now = this.clock.nowMs();
    return {
      id: 'preview' as NotificationId,
      template: type,
      codeId: 'preview',
      registrationId: null,
      createdAt: new Date(now),
      expiresAt: new Date(now + SAMPLE_CODE_LIFETIME_MS),
      organization: await this.brandingOf(orgId),
      displayName: isUser ? 'Ada Lovelace' : '',
      loginName: isUser ? 'ada.lovelace@example.com' : '',
      email: 'ada.lovelace@example.com',
      preferredLanguage: language,
    };
  }

  private async brandingOf(orgId: OrgId | null) {
    const asked = orgId === null ? undefined : await this.orgs.findAsked({ by: 'id', value: orgId });
    return asked?.branding ?? (await this.orgs.findDefaultBranding()) ?? { name: '' };
  }
}
