import { answered, api, ifMatch, inOrganization, type Answered, type Sent } from '../api/client.ts';
import type { Language } from './branding.ts';

/** Own words of messages: an organization's, in place of the instance's, in place of the built-in ones. */

export type Template = Answered<'/management/v1/templates/{type}/{language}', 'get'>;
export type MessageType = Template['type'];
export type Texts = Sent<'/management/v1/templates/{type}/{language}', 'put'>;
export type TextField = keyof Texts;
export type Preview = Answered<'/management/v1/templates/{type}/{language}/_preview', 'post'>;
type TestSent = Answered<'/management/v1/templates/{type}/{language}/_test', 'post'>;
export type ListedTemplate = NonNullable<
  Answered<'/management/v1/templates/_search', 'post'>['result']
>[number];

/** As many as there can be: each message in each language. */
const ALL = 250;

function textsKey(org: string) {
  return ['sign-in', org, 'texts'] as const;
}

export interface TemplateKey {
  readonly type: MessageType;
  readonly language: Language;
}

/** Whose words they are: everything that differs between an organization and the instance. */
export interface TextsScope {
  readonly of: 'organization' | 'instance';
  readonly key: readonly string[];
  /** What says something else after a change here. */
  readonly stale: readonly (readonly string[])[];
  /** The address of the list; a message's is below it. */
  readonly start: string;
  readonly list: () => Promise<readonly ListedTemplate[]>;
  readonly find: (key: TemplateKey) => Promise<Template>;
  readonly replace: (key: TemplateKey, body: Texts, sequence?: string) => Promise<unknown>;
  readonly remove: (key: TemplateKey, sequence?: string) => Promise<unknown>;
  readonly preview: (key: TemplateKey, body: Texts) => Promise<Preview>;
  /** To the verified address of whoever asks. */
  readonly test: (key: TemplateKey, body: Texts) => Promise<TestSent>;
}

const WHOLE = { query: { limit: ALL, asc: true } };

export function textsOfOrganization(org: string): TextsScope {
  const at = ({ type, language }: TemplateKey, sequence?: string) =>
    ({ ...inOrganization(org, sequence), path: { type, language } }) as const;
  const params = inOrganization(org);
  return {
    of: 'organization',
    key: textsKey(org),
    stale: [textsKey(org)],
    start: `/orgs/${org}/sign-in/texts`,
    list: async () =>
      (await answered(api.POST('/management/v1/templates/_search', { params, body: WHOLE }))).result ?? [],
    find: async (key) =>
      await answered(api.GET('/management/v1/templates/{type}/{language}', { params: at(key) })),
    replace: async (key, body, sequence) =>
      await answered(
        api.PUT('/management/v1/templates/{type}/{language}', { params: at(key, sequence), body }),
      ),
    remove: async (key, sequence) =>
      await answered(api.DELETE('/management/v1/templates/{type}/{language}', { params: at(key, sequence) })),
    preview: async (key, body) =>
      await answered(
        api.POST('/management/v1/templates/{type}/{language}/_preview', { params: at(key), body }),
      ),
    test: async (key, body) =>
      await answered(api.POST('/management/v1/templates/{type}/{language}/_test', { params: at(key), body })),
  };
}

function inInstance(path: TemplateKey, sequence: string | undefined) {
  return { path, ...(sequence !== undefined && { header: ifMatch(sequence) }) };
}

const KEY_OF_INSTANCE = ['instance', 'settings', 'texts'];

export const textsOfInstance: TextsScope = {
  of: 'instance',
  key: KEY_OF_INSTANCE,
  // organizations inherit them
  stale: [KEY_OF_INSTANCE, ['sign-in']],
  start: '/instance/settings/texts',
  list: async () => (await answered(api.POST('/admin/v1/templates/_search', { body: WHOLE }))).result ?? [],
  find: async (path) =>
    await answered(api.GET('/admin/v1/templates/{type}/{language}', { params: { path } })),
  replace: async (path, body, sequence) =>
    await answered(
      api.PUT('/admin/v1/templates/{type}/{language}', { params: inInstance(path, sequence), body }),
    ),
  remove: async (path, sequence) =>
    await answered(
      api.DELETE('/admin/v1/templates/{type}/{language}', { params: inInstance(path, sequence) }),
    ),
  preview: async (path, body) =>
    await answered(api.POST('/admin/v1/templates/{type}/{language}/_preview', { params: { path }, body })),
  test: async (path, body) =>
    await answered(api.POST('/admin/v1/templates/{type}/{language}/_test', { params: { path }, body })),
};

/** The address of one message's words. */
export function textPath({ start }: TextsScope, type: MessageType): string {
  return `${start}/${type}`;
}
