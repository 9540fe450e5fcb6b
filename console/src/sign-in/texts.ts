import { answered, api, inOrganization, type Answered, type Sent } from '../api/client.ts';
import type { Language } from './branding.ts';

/** Own words of messages: an organization's, in place of the instance's, in place of the built-in ones. */

export type Template = Answered<'/management/v1/templates/{type}/{language}', 'get'>;
export type MessageType = Template['type'];
export type Texts = Sent<'/management/v1/templates/{type}/{language}', 'put'>;
export type TextField = keyof Texts;
export type Preview = Answered<'/management/v1/templates/{type}/{language}/_preview', 'post'>;
export type ListedTemplate = NonNullable<
  Answered<'/management/v1/templates/_search', 'post'>['result']
>[number];

/** As many as there can be: each message in each language. */
const ALL = 250;

export function textsKey(org: string) {
  return ['sign-in', org, 'texts'] as const;
}

export async function listTexts(org: string): Promise<readonly ListedTemplate[]> {
  const body = { query: { limit: ALL, asc: true } };
  const { result = [] } = await answered(
    api.POST('/management/v1/templates/_search', { params: inOrganization(org), body }),
  );
  return result;
}

export interface TemplateKey {
  readonly org: string;
  readonly type: MessageType;
  readonly language: Language;
}

function at({ org, type, language }: TemplateKey, sequence?: string) {
  return { ...inOrganization(org, sequence), path: { type, language } } as const;
}

export async function findTexts(key: TemplateKey): Promise<Template> {
  return await answered(api.GET('/management/v1/templates/{type}/{language}', { params: at(key) }));
}

export async function replaceTexts(key: TemplateKey, body: Texts, sequence?: string): Promise<unknown> {
  return await answered(
    api.PUT('/management/v1/templates/{type}/{language}', { params: at(key, sequence), body }),
  );
}

export async function removeTexts(key: TemplateKey): Promise<unknown> {
  return await answered(api.DELETE('/management/v1/templates/{type}/{language}', { params: at(key) }));
}

export async function previewTexts(key: TemplateKey, body: Texts): Promise<Preview> {
  return await answered(
    api.POST('/management/v1/templates/{type}/{language}/_preview', { params: at(key), body }),
  );
}
