import de from '../../../locales/console/de/webhooks.json';
import en from '../../../locales/console/en/webhooks.json';
import { answered, api, ifMatch, inOrganization, type Answered, type Sent } from '../api/client.ts';
import { words } from '../app/words.ts';
import type { CursorPage, PagePart } from '../shared/page-parts.ts';
import { named, orderOf, pageOf, type ListSearch } from '../shared/search-body.ts';
import type { Orders } from '../shared/sorting.tsx';
import type { Tone } from '../shared/state.tsx';

const t = words({ en, de });

export type Webhook = Answered<'/management/v1/webhooks/{id}', 'get'>['webhook'];
type WebhookBody = Sent<'/management/v1/webhooks/{id}', 'put'>;
export type DeadLetter = NonNullable<
  Answered<'/management/v1/webhooks/{id}/dead_letters/_search', 'post'>['result']
>[number];
export type WebhookTest = Answered<'/management/v1/webhooks/{id}/_test', 'post'>;

/** One that fails is told from one that works, though both are active. */
export function stateOf({ state, failures }: Webhook): { readonly label: string; readonly tone: Tone } {
  if (state === 'STATE_INACTIVE') return { label: t.states.inactive, tone: 'quiet' };
  return failures > 0 ? { label: t.states.failing, tone: 'bad' } : { label: t.states.active, tone: 'good' };
}

type Act = '_activate' | '_deactivate';

/** The webhooks of an organization, or of the instance: the same calls at two addresses. */
export interface WebhooksScope {
  readonly key: readonly string[];
  /** Where their pages are. */
  readonly path: string;
  readonly permission: 'org.webhook.write' | 'iam.webhook.write';
  readonly ofOrganization: boolean;
  find(search: WebhookSearch): Promise<CursorPage<Webhook>>;
  read(id: string): Promise<Webhook>;
  add(body: WebhookBody): Promise<{ readonly id: string; readonly secret: string }>;
  replace(id: string, body: WebhookBody, sequence: string | undefined): Promise<unknown>;
  setState(id: string, act: Act): Promise<unknown>;
  changeSecret(id: string): Promise<{ readonly secret: string }>;
  test(id: string): Promise<WebhookTest>;
  replay(id: string, from: string): Promise<unknown>;
  deadLetters(id: string, page: PagePart & { readonly asc: boolean }): Promise<CursorPage<DeadLetter>>;
  /** @param ids none for all */
  replayDeadLetters(id: string, ids?: readonly string[]): Promise<unknown>;
  remove(id: string): Promise<unknown>;
}

/** The page of a webhook, or of a new one. */
export function pathIn({ path }: WebhooksScope, id: string): string {
  return `${path}/${id}`;
}

interface WebhookSearch extends ListSearch {
  readonly state?: Webhook['state'] | undefined;
}

/** What they can be put in order by. */
export const WEBHOOK_ORDERS = {
  name: 'WEBHOOK_FIELD_NAME_NAME',
  created: undefined,
} as const satisfies Orders;
/** As they were set: whether deliveries fail is beside it. */
export const WEBHOOK_STATES: Readonly<Record<Webhook['state'], string>> = {
  STATE_ACTIVE: t.states.active,
  STATE_INACTIVE: t.states.inactive,
};

function searchOf({ state, ...search }: WebhookSearch) {
  const queries = [...named(search.search), ...(state === undefined ? [] : [{ stateQuery: { state } }])];
  return { query: pageOf(search), queries, ...orderOf<typeof WEBHOOK_ORDERS.name>(search) };
}

export function webhooksOfOrganization(org: string): WebhooksScope {
  const { header } = inOrganization(org);
  const at = (id: string) => ({ params: { header, path: { id } } });
  return {
    key: ['webhooks', org],
    path: `/orgs/${org}/webhooks`,
    permission: 'org.webhook.write',
    ofOrganization: true,
    find: async (search) =>
      await answered(
        api.POST('/management/v1/webhooks/_search', { params: { header }, body: searchOf(search) }),
      ),
    read: async (id) => (await answered(api.GET('/management/v1/webhooks/{id}', at(id)))).webhook,
    add: async (body) => await answered(api.POST('/management/v1/webhooks', { params: { header }, body })),
    replace: async (id, body, sequence) =>
      await answered(
        api.PUT('/management/v1/webhooks/{id}', {
          params: { path: { id }, header: { ...header, ...(sequence !== undefined && ifMatch(sequence)) } },
          body,
        }),
      ),
    setState: async (id, act) =>
      act === '_activate'
        ? await answered(api.POST('/management/v1/webhooks/{id}/_activate', at(id)))
        : await answered(api.POST('/management/v1/webhooks/{id}/_deactivate', at(id))),
    changeSecret: async (id) =>
      await answered(api.POST('/management/v1/webhooks/{id}/_change_secret', { ...at(id), body: {} })),
    test: async (id) => await answered(api.POST('/management/v1/webhooks/{id}/_test', at(id))),
    replay: async (id, from) =>
      await answered(api.POST('/management/v1/webhooks/{id}/_replay', { ...at(id), body: { from } })),
    deadLetters: async (id, query) =>
      await answered(
        api.POST('/management/v1/webhooks/{id}/dead_letters/_search', { ...at(id), body: { query } }),
      ),
    replayDeadLetters: async (id, ids) =>
      await answered(
        api.POST('/management/v1/webhooks/{id}/dead_letters/_replay', {
          ...at(id),
          body: ids === undefined ? {} : { ids: [...ids] },
        }),
      ),
    remove: async (id) => await answered(api.DELETE('/management/v1/webhooks/{id}', at(id))),
  };
}

const at = (id: string) => ({ params: { path: { id } } });

export const webhooksOfInstance: WebhooksScope = {
  key: ['webhooks', 'instance'],
  path: '/instance/webhooks',
  permission: 'iam.webhook.write',
  ofOrganization: false,
  find: async (search) => await answered(api.POST('/admin/v1/webhooks/_search', { body: searchOf(search) })),
  read: async (id) => (await answered(api.GET('/admin/v1/webhooks/{id}', at(id)))).webhook,
  add: async (body) => await answered(api.POST('/admin/v1/webhooks', { body })),
  replace: async (id, body, sequence) =>
    await answered(
      api.PUT('/admin/v1/webhooks/{id}', {
        params: { path: { id }, ...(sequence !== undefined && { header: ifMatch(sequence) }) },
        body,
      }),
    ),
  setState: async (id, act) =>
    act === '_activate'
      ? await answered(api.POST('/admin/v1/webhooks/{id}/_activate', at(id)))
      : await answered(api.POST('/admin/v1/webhooks/{id}/_deactivate', at(id))),
  changeSecret: async (id) =>
    await answered(api.POST('/admin/v1/webhooks/{id}/_change_secret', { ...at(id), body: {} })),
  test: async (id) => await answered(api.POST('/admin/v1/webhooks/{id}/_test', at(id))),
  replay: async (id, from) =>
    await answered(api.POST('/admin/v1/webhooks/{id}/_replay', { ...at(id), body: { from } })),
  deadLetters: async (id, query) =>
    await answered(api.POST('/admin/v1/webhooks/{id}/dead_letters/_search', { ...at(id), body: { query } })),
  replayDeadLetters: async (id, ids) =>
    await answered(
      api.POST('/admin/v1/webhooks/{id}/dead_letters/_replay', {
        ...at(id),
        body: ids === undefined ? {} : { ids: [...ids] },
      }),
    ),
  remove: async (id) => await answered(api.DELETE('/admin/v1/webhooks/{id}', at(id))),
};

/** What the form holds. */
// oxlint-disable-next-line typescript/consistent-type-definitions -- forms take records, which an interface is not
export type WebhookValues = {
  readonly name: string;
  readonly url: string;
  readonly eventTypes: string[];
};

export function valuesOf(webhook?: Webhook): WebhookValues {
  return {
    name: webhook?.name ?? '',
    url: webhook?.url ?? '',
    eventTypes: [...(webhook?.eventTypes ?? [])],
  };
}

export function bodyOf({ name, url, eventTypes }: WebhookValues): WebhookBody {
  return { name: name.trim(), url: url.trim(), eventTypes };
}
