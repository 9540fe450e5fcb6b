import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { templateNotFound } from '../../domain/notifications/templates/change-message-templates.js';
import type {
  MessageKey,
  MessageTemplate,
} from '../../domain/notifications/templates/message-templates.store.js';
import {
  LONGEST_TEXT,
  MESSAGE_TYPES,
  PLACEHOLDERS,
  TEXT_FIELDS,
  type MessageTexts,
} from '../../domain/notifications/templates/message-texts.js';
import type {
  MessagePreview,
  ShownTemplate,
} from '../../domain/notifications/templates/show-message-templates.js';
import type { OrgId } from '../../domain/shared/ids.js';
import { languages } from '../../domain/shared/locale.js';
import { readDetailsSchema } from './answer-schemas.js';
import { bodyReader } from './api-fields.js';
import { readDetails, type DetailsResponse } from './details-response.js';

/** Bodies of `…/templates`, the instance's and the organizations'. */

/** Which characters and placeholders there may be is for the domain to say, and depends on the type. */
function words(longest: number) {
  return z
    .string({ error: 'must be a string' })
    .meta({ maxLength: longest })
    .transform((text) => text.replace(/\r\n?/g, '\n').trim())
    .refine(
      (text) => text.length <= longest || (text.length <= 2 * longest && Array.from(text).length <= longest),
      `must have 1 to ${longest} characters`,
    )
    .optional();
}

const readFields = bodyReader({
  subject: words(LONGEST_TEXT.subject),
  title: words(LONGEST_TEXT.title),
  preheader: words(LONGEST_TEXT.preheader),
  greeting: words(LONGEST_TEXT.greeting),
  text: words(LONGEST_TEXT.text),
  button: words(LONGEST_TEXT.button),
  footer: words(LONGEST_TEXT.footer),
  smsText: words(LONGEST_TEXT.smsText),
});

/** Empty text counts as none given, as protojson has it. @throws ApiError invalid-argument */
export const readTexts = Object.assign(
  (body: unknown): MessageTexts =>
    Object.fromEntries(
      Object.entries(readFields(body)).filter(([, text]) => text !== undefined && text !== ''),
    ),
  { schema: readFields.schema },
);

/** What no type or language is called is answered as a template that is not there. @throws ApiError not-found */
export function templateKey(orgId: OrgId | null, type: string, language: string): MessageKey {
  const known = {
    type: MESSAGE_TYPES.find((one) => one === type),
    language: languages.find((one) => one === language),
  };
  if (known.type === undefined || known.language === undefined) throw templateNotFound();
  return { orgId, type: known.type, language: known.language };
}

const textsSchema = z.strictObject(
  Object.fromEntries(TEXT_FIELDS.map((field) => [field, z.string().optional()])),
);

export const listedTemplateSchema = z.strictObject({
  type: z.enum(MESSAGE_TYPES),
  language: z.enum(languages),
  template: textsSchema,
  details: readDetailsSchema,
});

export const templateAnswer = z.strictObject({
  type: z.enum(MESSAGE_TYPES),
  language: z.enum(languages),
  template: textsSchema.meta({ description: 'The own words; PUT takes them like this.' }),
  inherited: textsSchema.meta({ description: 'What is said where the own words say nothing.' }),
  placeholders: z.array(z.string()).meta({ description: 'What may stand in double braces.' }),
  details: readDetailsSchema,
  isDefault: z.boolean(),
});

export const previewAnswer = z.strictObject({
  mail: z.strictObject({ subject: z.string(), text: z.string(), html: z.string() }).optional(),
  sms: z
    .strictObject({
      text: z.string(),
      encoding: z.enum(['GSM-7', 'UCS-2']),
      segments: z.number().int(),
    })
    .optional(),
});

export interface ListedTemplate {
  readonly type: string;
  readonly language: string;
  readonly template: MessageTexts;
  readonly details: DetailsResponse;
}

export function listedTemplate({ type, language, texts, details }: MessageTemplate): ListedTemplate {
  return { type, language, template: texts, details: readDetails(details) };
}

export interface TemplateResponse extends ListedTemplate {
  readonly inherited: MessageTexts;
  readonly placeholders: readonly string[];
  readonly isDefault: boolean;
}

/** @param owner whose it is when nobody has set it: then it has no dates and no changes */
export function templateResponse(
  { type, language }: MessageKey,
  { own, inherited }: ShownTemplate,
  owner: OrgId,
): TemplateResponse {
  return {
    type,
    language,
    template: own?.texts ?? {},
    inherited,
    placeholders: PLACEHOLDERS[type],
    details: own === undefined ? { sequence: '0', resourceOwner: owner } : readDetails(own.details),
    isDefault: own === undefined,
  };
}

export type PreviewResponse = MessagePreview;

/**
 * A mail to look at. It is our own markup with escaped text in it, and still shown as a stranger's: in an origin of its
 * own, where nothing runs, nothing is sent and nothing is asked for but the logo.
 */
function previewHeaders(issuer: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy':
      `sandbox allow-popups; default-src 'none'; style-src 'unsafe-inline'; img-src ${new URL(issuer).origin}; ` +
      `form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
  };
}

/** A mail as the document that it is, a short message as plain text. */
export async function sendPreview(
  reply: FastifyReply,
  preview: MessagePreview,
  issuer: string,
): Promise<void> {
  void reply.headers(previewHeaders(issuer));
  if ('mail' in preview) await reply.send(preview.mail.html);
  else await reply.type('text/plain; charset=utf-8').send(preview.sms.text);
}
