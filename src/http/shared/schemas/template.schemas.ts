import { z } from 'zod';
import type {
  MessageKey,
  MessageTemplate,
} from '../../../domain/notifications/templates/message-templates.store.js';
import {
  LONGEST_TEXT,
  MESSAGE_TYPES,
  PLACEHOLDERS,
  TEXT_FIELDS,
  type MessageTexts,
  type TextField,
} from '../../../domain/notifications/templates/message-texts.js';
import type { ShownTemplate } from '../../../domain/notifications/templates/show-message-templates.js';
import type { OrgId } from '../../../domain/shared/ids.js';
import { languages } from '../../../domain/shared/locale.js';
import { answerFrom, detailsOfRecord, detailsOfSetting } from '../answers.js';

/** What a path calls a message by; anything else is a template that is not there. */
export const messageType = z.enum(MESSAGE_TYPES);
export const messageLanguage = z.enum(languages);

/** Which characters and placeholders there may be is for the domain to say, and depends on the type. */
function words(longest: number) {
  return z
    .string()
    .meta({ maxLength: longest })
    .transform((text) => text.replace(/\r\n?/g, '\n').trim())
    .refine(
      (text) => text.length <= longest || (text.length <= 2 * longest && Array.from(text).length <= longest),
      `must have 1 to ${longest} characters`,
    )
    .optional();
}

const texts = z
  .strictObject({
    subject: words(LONGEST_TEXT.subject),
    title: words(LONGEST_TEXT.title),
    preheader: words(LONGEST_TEXT.preheader),
    greeting: words(LONGEST_TEXT.greeting),
    text: words(LONGEST_TEXT.text),
    button: words(LONGEST_TEXT.button),
    footer: words(LONGEST_TEXT.footer),
    smsText: words(LONGEST_TEXT.smsText),
  })
  .meta({
    examples: [
      {
        subject: 'Welcome to Acme',
        title: 'Welcome',
        greeting: 'Hello {{displayName}},',
        text: 'your account is ready. Choose a password to begin.',
        button: 'Choose a password',
      },
    ],
  });

/** Empty text counts as none given, as protojson has it. */
function saidOf(given: z.output<typeof texts>): MessageTexts {
  return Object.fromEntries(Object.entries(given).filter(([, text]) => text !== undefined && text !== ''));
}

/** Body of `PUT …/templates/:type/:language`. */
export const textsBody = texts.meta({ minProperties: 1 }).transform(saidOf);

/** Body of the previews; none is one that says nothing. */
export const previewBody = texts.prefault({}).transform(saidOf);

const shownTexts = z.object(
  Object.fromEntries(TEXT_FIELDS.map((field) => [field, z.string().optional()])) as Record<
    TextField,
    z.ZodOptional<z.ZodString>
  >,
);

/** A template in a list. */
export const listedTemplateAnswer = answerFrom(
  z.object({
    type: z.enum(MESSAGE_TYPES),
    language: z.enum(languages),
    template: shownTexts,
    details: detailsOfRecord,
  }),
  ({ texts: template, ...same }: MessageTemplate) => ({ ...same, template }),
);

/** A template as it is read. */
export const templateAnswer = answerFrom(
  z.object({
    type: z.enum(MESSAGE_TYPES),
    language: z.enum(languages),
    template: shownTexts.meta({ description: 'The own words; PUT takes them like this.' }),
    inherited: shownTexts.meta({ description: 'What is said where the own words say nothing.' }),
    placeholders: z.array(z.string()).readonly().meta({ description: 'What may stand in double braces.' }),
    details: detailsOfSetting,
    isDefault: z.boolean(),
  }),
  ({ key: { type, language }, own, inherited, owner }: FoundTemplate) => ({
    type,
    language,
    template: own?.texts ?? {},
    inherited,
    placeholders: PLACEHOLDERS[type],
    details: { owner, stored: own },
    isDefault: own === undefined,
  }),
);

interface FoundTemplate extends ShownTemplate {
  readonly key: MessageKey;
  /** Whose it is when nobody has set it. */
  readonly owner: OrgId;
}

export const templateTestAnswer = z.object({
  sentTo: z.string().meta({ description: 'The verified address of the caller.' }),
});

export const previewAnswer = z.object({
  mail: z.object({ subject: z.string(), text: z.string(), html: z.string() }).optional(),
  sms: z
    .object({
      text: z.string(),
      encoding: z.enum(['GSM-7', 'UCS-2']),
      segments: z.number().int(),
    })
    .optional(),
});
