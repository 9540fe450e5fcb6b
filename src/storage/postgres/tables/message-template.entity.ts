import { Check, Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import { SMS_TEMPLATES } from '../../../domain/notifications/notification-template.js';
import { MESSAGE_TYPES, type MessageType } from '../../../domain/notifications/templates/message-texts.js';
import type { OrgId } from '../../../domain/shared/ids.js';
import type { Language } from '../../../domain/shared/locale.js';
import { oneOf } from '../one-of.js';
import { CountedChanges } from './counted-changes.js';
import { OrganizationEntity } from './organization.entity.js';

/** Texts of a message, of an organization or of the instance; null for the text of the instance or the built-in one. */
@Entity('message_templates')
@ForeignKey(() => OrganizationEntity, ['orgId'], ['id'], {
  name: 'message_templates_org',
  onDelete: 'CASCADE',
})
// NULLS NOT DISTINCT in the migration, which TypeORM does not support: unique for the instance, too
@Unique('message_templates_once', ['orgId', 'type', 'language'])
@Check('message_templates_type', `type ${oneOf(MESSAGE_TYPES)}`)
@Check('message_templates_language', "language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$'")
// a row that was inserted only to be locked has sequence 0
@Check(
  'message_templates_some',
  'sequence = 0 OR num_nonnulls(subject, title, preheader, greeting, text, button, footer, sms_text) > 0',
)
@Check(
  'message_templates_channel',
  `CASE WHEN type ${oneOf(SMS_TEMPLATES)}
     THEN num_nonnulls(subject, title, preheader, greeting, text, button, footer) = 0
     ELSE sms_text IS NULL END`,
)
@Check(
  'message_templates_lines',
  `char_length(subject) BETWEEN 1 AND 120 AND char_length(title) BETWEEN 1 AND 120
   AND char_length(preheader) BETWEEN 1 AND 250 AND char_length(greeting) BETWEEN 1 AND 120
   AND char_length(button) BETWEEN 1 AND 60 AND subject !~ '[\\r\\n]'`,
)
@Check('message_templates_text', 'char_length(text) BETWEEN 1 AND 4000')
@Check('message_templates_footer', 'char_length(footer) BETWEEN 1 AND 1000')
@Check('message_templates_sms_text', 'char_length(sms_text) BETWEEN 1 AND 160')
export class MessageTemplateEntity extends CountedChanges {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'message_templates_pkey', default: () => 'new_id()' })
  id!: string;

  @Column('text', { name: 'org_id', nullable: true })
  orgId!: OrgId | null;

  @Column('text')
  type!: MessageType;

  @Column('text')
  language!: Language;

  @Column('text', { nullable: true })
  subject!: string | null;

  @Column('text', { nullable: true })
  title!: string | null;

  @Column('text', { nullable: true })
  preheader!: string | null;

  @Column('text', { nullable: true })
  greeting!: string | null;

  @Column('text', { nullable: true })
  text!: string | null;

  @Column('text', { nullable: true })
  button!: string | null;

  @Column('text', { nullable: true })
  footer!: string | null;

  @Column('text', { name: 'sms_text', nullable: true })
  smsText!: string | null;
}
